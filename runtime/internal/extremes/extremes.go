// Package extremes tracks the least and the most of recent samples.
package extremes

// period is the time in ns after which samples begin to be forgotten.
const period = 10e9

// Recent is the least and the most of the samples of the last one or two periods in which there were any. The zero value
// has none.
type Recent struct {
	began     int64 // of the present period, ns
	now, last span
}

// span is the least and the most of samples. Both are 0 if there are none.
type span struct{ least, most int64 }

func (s span) with(o span) span {
	switch {
	case s == (span{}):
		return o
	case o == (span{}):
		return s
	}
	return span{min(s.least, o.least), max(s.most, o.most)}
}

// Add adds a sample, which is larger than 0. The time in ns never decreases.
func (r *Recent) Add(now, x int64) {
	if past := now - r.began; past >= period {
		r.last = r.now
		if past >= 2*period {
			r.last = span{}
		}
		r.began, r.now = now, span{}
	}
	r.now = r.now.with(span{x, x})
}

// Least returns the smallest sample, or 0 if there is none.
func (r *Recent) Least() int64 { return r.now.with(r.last).least }

// Most returns the largest sample, or 0 if there is none.
func (r *Recent) Most() int64 { return r.now.with(r.last).most }
