-- The requests of wrk for `serve` and the soak: the lines of the file REQUESTS in turn, each a method, a path, a token
-- and a body, separated by tabs. Adds to the file FIGURES the requests per second, the percentiles in ms, and the number of
-- requests without an answer or with a status of 400 or more.
local requests, at = {}, 0

function init()
  for line in io.lines(os.getenv("REQUESTS")) do
    local method, path, token, body = line:match("^(%S+)\t(%S+)\t([^\t]*)\t(.*)$")
    local headers = { ["Authorization"] = "Bearer " .. token }
    if body == "" then body = nil else headers["Content-Type"] = "application/json" end
    requests[#requests + 1] = wrk.format(method, path, headers, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  local bad = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  local file = io.open(os.getenv("FIGURES"), "a")
  file:write(string.format("%s\t%.1f\t%.3f\t%.3f\t%d\n", os.getenv("NAME"),
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, bad))
  file:close()
end
