package tensor

import (
	"slices"
	"sync"
	"weak"
)

// spare is memory of more than 1<<maxKept bytes that waits for reuse. The list does not keep it alive: the
// garbage collector frees it as if it were not listed, so that reuse never costs the memory of another model.
// A [sync.Pool] could keep one for each processor, through two cycles of the collector.
var spare spareList

type spareList struct {
	sync.Mutex
	list []weak.Pointer[Memory] // the latest last
}

// maxSpare is the maximum length of the list.
const maxSpare = 16

// put lists memory without references.
func (s *spareList) put(m *Memory) {
	s.Lock()
	defer s.Unlock()
	if len(s.list) == maxSpare {
		s.list = slices.Delete(s.list, 0, 1)
	}
	s.list = append(s.list, weak.Make(m))
}

// take returns the latest listed memory of n to 9/8 n bytes, or nil. It is no longer listed.
func (s *spareList) take(n int) *Memory {
	s.Lock()
	defer s.Unlock()
	for i, p := range slices.Backward(s.list) {
		m := p.Value()
		switch {
		case m == nil:
			s.list = slices.Delete(s.list, i, i+1) // it is freed
		case len(m.bytes) >= n && len(m.bytes)-n <= n/classes:
			s.list = slices.Delete(s.list, i, i+1)
			return m
		}
	}
	return nil
}
