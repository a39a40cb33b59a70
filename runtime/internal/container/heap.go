package container

// Heap is a heap of values with a time, in which each item is before its four children. The earliest value is first; of values with the same time, the
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
	first, last := h.items[0], len(h.items)-1
	x := h.items[last]
	h.items[last] = timed[T]{}
	h.items = h.items[:last]
	if last > 0 {
		h.sink(x)
	}
	return first.at, first.value
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

func (a *timed[T]) before(b *timed[T]) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }

func (h *Heap[T]) push(x timed[T]) {
	h.items = append(h.items, x)
	i := len(h.items) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !x.before(&h.items[up]) {
			break
		}
		h.items[i] = h.items[up]
		i = up
	}
	h.items[i] = x
}

// sink places x, beginning at the root, which is free.
func (h *Heap[T]) sink(x timed[T]) {
	i := 0
	for {
		child := 4*i + 1
		if child >= len(h.items) {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, len(h.items)); c++ {
			if h.items[c].before(&h.items[least]) {
				least = c
			}
		}
		if !h.items[least].before(&x) {
			break
		}
		h.items[i] = h.items[least]
		i = least
	}
	h.items[i] = x
}
