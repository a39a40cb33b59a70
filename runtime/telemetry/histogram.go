package telemetry

import "math/bits"

// A Histogram counts quantities by their size: bucket i counts those of i binary digits, which are less than
// 1<<i.
type Histogram struct {
	Buckets    [64]uint64
	Count, Sum uint64
}

// Add counts a quantity; a negative one counts as 0.
func (h *Histogram) Add(x int64) {
	x = max(x, 0)
	h.Buckets[bits.Len64(uint64(x))]++
	h.Count++
	h.Sum += uint64(x)
}

// Quantile returns a value that a part of the quantities, from 0 to 1, does not exceed: the upper end of the
// bucket that contains it. It is 0 if there are none.
func (h *Histogram) Quantile(part float64) int64 {
	rank := uint64(part * float64(h.Count))
	seen := uint64(0)
	for i, k := range h.Buckets {
		if seen += k; k > 0 && (seen > rank || seen == h.Count) {
			return int64(uint64(1)<<i - 1)
		}
	}
	return 0
}

// Telemetry holds the measurements of a Node since it was made.
type Telemetry struct {
	RTT    Histogram // from an envelope to its acknowledgement, ns
	Gather Histogram // the durations of gathers, ns
	Fill   Histogram // bytes of the received payloads
}
