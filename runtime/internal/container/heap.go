package container

// Heap is a binary heap of values with a time. The earliest value is first; of values with the same time, the
// one that was added first. The zero value is empty.
type Heap[T any] struct {
	items []timed[T]
	added uint64
}

type timed[T any] struct {
	at    int64
	seq   uint64
	value T
}

// Len returns the number of values.
func (h *Heap[T]) Len() int { return len(h.items) }

// Add adds a value.
func (h *Heap[T]) Add(at int64, value T) {
	h.added++
	h.push(timed[T]{at, h.added, value})
}

// First returns the time of the first value and a pointer to it, which is valid until the next call of a method.
func (h *Heap[T]) First() (at int64, value *T, ok bool) {
	if len(h.items) == 0 {
		return 0, nil, false
	}
	return h.items[0].at, &h.items[0].value, true
}

// Pop removes and returns the first value and its time. The heap must not be empty.
func (h *Heap[T]) Pop() (at int64, value T) {
	x := h.items[0]
	last := len(h.items) - 1
	h.items[0] = h.items[last]
	h.items[last] = timed[T]{}
	h.items = h.items[:last]
	h.sink()
	return x.at, x.value
}

// Keep removes the values for which keep returns false.
func (h *Heap[T]) Keep(keep func(value *T) bool) {
	old := h.items
	h.items = old[:0]
	for i := range old {
		if x := old[i]; keep(&x.value) {
			h.push(x)
		}
	}
	clear(old[len(h.items):])
}

// Clone returns a copy, which may be changed on its own.
func (h *Heap[T]) Clone() Heap[T] {
	return Heap[T]{append([]timed[T](nil), h.items...), h.added}
}

func (h *Heap[T]) less(i, j int) bool {
	a, b := &h.items[i], &h.items[j]
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

func (h *Heap[T]) push(x timed[T]) {
	h.items = append(h.items, x)
	for i := len(h.items) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.less(i, up) {
			break
		}
		h.items[i], h.items[up] = h.items[up], h.items[i]
		i = up
	}
}

// sink moves the first item down to its place.
func (h *Heap[T]) sink() {
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(h.items) {
			break
		}
		if down+1 < len(h.items) && h.less(down+1, down) {
			down++
		}
		if !h.less(down, i) {
			break
		}
		h.items[i], h.items[down] = h.items[down], h.items[i]
		i = down
	}
}
