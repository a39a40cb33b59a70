package serve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/model"
)

// buckets are the upper bounds of the histogram, in seconds; the last bucket has none.
var buckets = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

// metrics counts requests for runs of the model.
type metrics struct {
	p model.Program

	mu       sync.Mutex
	byCode   map[int]int
	byBucket []int // not cumulative
	seconds  float64
	inFlight int
	batches  int // runs of batches, with one or more requests
	batched  int // requests in them
}

func newMetrics(p model.Program) *metrics {
	return &metrics{p: p, byCode: map[int]int{}, byBucket: make([]int, len(buckets)+1)}
}

// begin counts a request; call done with the status of its answer.
func (m *metrics) begin() (done func(code int)) {
	start := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight++
	return func(code int) { m.end(code, time.Since(start).Seconds()) }
}

func (m *metrics) end(code int, seconds float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
	m.byCode[code]++
	i, _ := slices.BinarySearch(buckets, seconds)
	m.byBucket[i]++
	m.seconds += seconds
}

// batch counts a run of a number of requests.
func (m *metrics) batch(requests int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.batches++
	m.batched += requests
}

// text returns the counters in Prometheus's text format.
func (m *metrics) text() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b []byte
	head := func(name, kind, help string) {
		b = fmt.Appendf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	head("bbgen_requests_total", "counter", "Requests for runs, by the status of the answer.")
	for _, code := range slices.Sorted(maps.Keys(m.byCode)) {
		b = fmt.Appendf(b, "bbgen_requests_total{code=\"%d\"} %d\n", code, m.byCode[code])
	}
	head("bbgen_request_duration_seconds", "histogram", "Time from a request's header to the end of its answer.")
	sum := 0
	for i, le := range buckets {
		sum += m.byBucket[i]
		b = fmt.Appendf(b, "bbgen_request_duration_seconds_bucket{le=\"%g\"} %d\n", le, sum)
	}
	sum += m.byBucket[len(buckets)]
	b = fmt.Appendf(b, "bbgen_request_duration_seconds_bucket{le=\"+Inf\"} %d\n", sum)
	b = fmt.Appendf(b, "bbgen_request_duration_seconds_sum %g\n", m.seconds)
	b = fmt.Appendf(b, "bbgen_request_duration_seconds_count %d\n", sum)
	head("bbgen_in_flight", "gauge", "Requests for runs that have no answer yet.")
	b = fmt.Appendf(b, "bbgen_in_flight %d\n", m.inFlight)
	head("bbgen_batches_total", "counter", "Runs that computed requests together, with -batch.")
	b = fmt.Appendf(b, "bbgen_batches_total %d\n", m.batches)
	head("bbgen_batched_requests_total", "counter", "Requests in those runs.")
	b = fmt.Appendf(b, "bbgen_batched_requests_total %d\n", m.batched)
	head("bbgen_model_info", "gauge", "The model and what it runs on; always 1.")
	b = fmt.Appendf(b, "bbgen_model_info{name=\"%s\",source=\"%s\",weight_bytes=\"%d\",level=\"%s\",threads=\"%d\"} 1\n",
		labelValue(m.p.Name), labelValue(m.p.Source), m.p.Weights, cpu.CurrentLevel(), cpu.Threads())
	return b
}

// labelValue escapes the characters that must not occur in the value of a label.
func labelValue(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}
