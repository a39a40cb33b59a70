package telemetry

import "math/bits"

// Histogram counts quantities by their size: bucket i has those of i binary
// digits, which are less than 1<<i.
type Histogram struct {
	Buckets    [64]uint64
	Count, Sum uint64
}

// Add counts a quantity; one below 0 counts as 0.
func (h *Histogram) Add(x int64) {
	x = max(x, 0)
	h.Buckets[bits.Len64(uint64(x))]++
	h.Count++
	h.Sum += uint64(x)
}

// Quantile returns what a part of the quantities does not exceed, from 0 to 1: the
// upper end of the bucket that it lies in. It is 0 if there are none.
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

// Telemetry is what a Node has measured since it was made.
type Telemetry struct {
	RTT    Histogram // from an envelope to its acknowledgement, ns
	Gather Histogram // how long gathers took, ns
	Fill   Histogram // bytes of the payloads that came
}
