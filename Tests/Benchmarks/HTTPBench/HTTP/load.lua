-- Requests paths, the first ones more often, by Zipf's law: wrk -s load.lua URL -- FILE EXPONENT [FIELD ...]
-- FILE has one path a line. With exponent 0 all paths are equally frequent. A field is "Name: value".

local threads = 0

function setup(thread)
   threads = threads + 1
   thread:set("seed", threads)
end

local requests, ends = {}, {}

function init(args)
   math.randomseed(seed)
   for index = 3, #args do
      local name, value = args[index]:match("^([^:]+): (.*)$")
      wrk.headers[name] = value
   end
   local total = 0
   for path in io.lines(args[1]) do
      requests[#requests + 1] = wrk.format("GET", path)
      total = total + 1 / (#requests) ^ tonumber(args[2])
      ends[#requests] = total
   end
end

function request()
   local point = math.random() * ends[#ends]
   local first, last = 1, #ends
   while first < last do
      local middle = math.floor((first + last) / 2)
      if ends[middle] < point then first = middle + 1 else last = middle end
   end
   return requests[first]
end

function done(summary, latency)
   local errors = summary.errors
   print(string.format(
      '\n{"requests":%d,"bytes":%d,"microseconds":%d,"p50":%d,"p99":%d,"failed":%d}',
      summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99),
      errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
