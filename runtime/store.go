package runtime

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Store is state that the engine keeps for a program under a name, from one execution to another: a [Hold],
// [Queue], [Limit], [Window], [Ring] or [Counter]. Generated code has a field for each; blocks call its
// methods.
//
// Values are stored in the form of snapshots, see [values.AppendDense], so that no memory is shared.
type Store interface {
	Component
	name() string
}

// A Hold stores one value.
type Hold struct {
	Name  string
	full  bool
	value []byte
	read  values.Fields
}

// ErrEmpty is returned by a Hold without a value.
var ErrEmpty = errors.New("nothing is held")

func (h *Hold) name() string { return h.Name }

// Buffer returns memory to which the value for Stash is appended.
func (h *Hold) Buffer() []byte { return h.value[:0] }

// Stash stores a value in place of the previous one.
func (h *Hold) Stash(_ *Engine, value []byte) { h.value, h.full = value, true }

// Flush removes and returns the stored value. It must be read before the next Stash.
func (h *Hold) Flush(*Engine) (*values.Fields, error) {
	if !h.full {
		return nil, fmt.Errorf("hold %s: %w", h.Name, ErrEmpty)
	}
	h.full = false
	h.read = *values.NewFields(h.value)
	return &h.read, nil
}

// AppendBinary appends the state.
func (h *Hold) AppendBinary(b []byte) ([]byte, error) {
	if !h.full {
		return append(b, 0), nil
	}
	return append(append(b, 1), h.value...), nil
}

// UnmarshalBinary sets the state.
func (h *Hold) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] > 1 || b[0] == 0 && len(b) > 1 {
		return fmt.Errorf("hold %s: %d bytes that are no state of one", h.Name, len(b))
	}
	h.full, h.value = b[0] == 1, append(h.value[:0], b[1:]...)
	return nil
}

// A Limit is a number of permits, which are acquired and released.
type Limit struct {
	Name string
	used int
}

// ErrCooldown is returned by a [Limit] without a free permit.
var ErrCooldown = errors.New("no permit is left")

var errReleased = errors.New("more permits were given back than taken")

func (l *Limit) name() string { return l.Name }

// Acquire takes one of max permits.
func (l *Limit) Acquire(_ *Engine, max int) error {
	if l.used >= max {
		return fmt.Errorf("limit %s: %w: all %d are taken", l.Name, ErrCooldown, max)
	}
	l.used++
	return nil
}

// Release releases a permit.
func (l *Limit) Release(*Engine) error {
	if l.used == 0 {
		return fmt.Errorf("limit %s: %w", l.Name, errReleased)
	}
	l.used--
	return nil
}

// AppendBinary appends the state.
func (l *Limit) AppendBinary(b []byte) ([]byte, error) {
	return binary.AppendUvarint(b, uint64(l.used)), nil
}

// UnmarshalBinary sets the state.
func (l *Limit) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	l.used = int(min(r.Uint(), math.MaxInt32))
	return r.End()
}

// A Counter is a number to which blocks add and which hosts read.
type Counter struct {
	Name  string
	value int64
}

func (c *Counter) name() string { return c.Name }

// Add adds to the counter. The counter saturates at the largest number.
func (c *Counter) Add(_ *Engine, delta int64) {
	sum := c.value + delta
	switch {
	case delta > 0 && sum < c.value:
		sum = math.MaxInt64
	case delta < 0 && sum > c.value:
		sum = math.MinInt64
	}
	c.value = sum
}

// Value returns the sum of all additions.
func (c *Counter) Value() int64 { return c.value }

// AppendBinary appends the state.
func (c *Counter) AppendBinary(b []byte) ([]byte, error) { return binary.AppendVarint(b, c.value), nil }

// UnmarshalBinary sets the state.
func (c *Counter) UnmarshalBinary(b []byte) error {
	v, n := binary.Varint(b)
	if n <= 0 || n != len(b) {
		return fmt.Errorf("counter %s: %d bytes that are no number", c.Name, len(b))
	}
	c.value = v
	return nil
}

// A Ring holds the latest numbers that blocks have recorded, at most [Limits.Ring].
type Ring struct {
	Name  string
	items []float64
	next  int    // the place of the next number, when the ring is full
	total uint64 // recorded so far
}

func (r *Ring) name() string { return r.Name }

// Record adds a number to the ring. If the ring is full, the number replaces the oldest one.
func (r *Ring) Record(e *Engine, x float64) {
	r.total++
	if over := len(r.items) - e.limits.Ring; over > 0 { // it was restored, and the limit was larger before
		r.items, r.next = r.Values(nil)[over:], 0
	}
	if len(r.items) < e.limits.Ring {
		r.items = append(r.items, x)
		return
	}
	r.items[r.next] = x
	r.next = (r.next + 1) % len(r.items)
}

// Values appends the numbers in the ring to list, the oldest first.
func (r *Ring) Values(list []float64) []float64 {
	return append(append(list, r.items[r.next:]...), r.items[:r.next]...)
}

// Total returns how many numbers were recorded so far.
func (r *Ring) Total() uint64 { return r.total }

// AppendBinary appends the state.
func (r *Ring) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, r.total)
	b = binary.AppendUvarint(b, uint64(len(r.items)))
	for _, x := range r.Values(nil) {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b, nil
}

// UnmarshalBinary sets the state.
func (r *Ring) UnmarshalBinary(b []byte) error {
	f := values.NewFields(b)
	r.total = f.Uint()
	r.items, r.next = make([]float64, f.Count(8)), 0
	for i := range r.items {
		if p := f.Bytes(8); f.Err() == nil {
			r.items[i] = math.Float64frombits(binary.LittleEndian.Uint64(p))
		}
	}
	return f.End()
}

// Counters calls yield with each of the program's counters.
func (n *Node) Counters(yield func(*Counter)) {
	for _, s := range n.partition.Stores {
		if c, ok := s.(*Counter); ok {
			yield(c)
		}
	}
}

// A Window remembers the senders and tags of the latest [Limits.Window] values. It does not compare payloads:
// two peers may send the same payload.
type Window struct {
	Name string
	seen container.Table[tagged, struct{}]
	fifo container.Fifo[tagged] // in the order of their arrival
}

type tagged struct {
	sender wire.PeerID
	tag    uint64
}

// ErrSeen is returned by a [Window] for a duplicate.
var ErrSeen = errors.New("the value came before")

func (w *Window) name() string { return w.Name }

// Admit returns ErrSeen if the sender has sent a value with that tag before.
func (w *Window) Admit(e *Engine, sender wire.PeerID, tag uint64) error {
	k := tagged{sender, tag}
	if w.has(k) {
		return fmt.Errorf("%w: %d of %v", ErrSeen, tag, sender)
	}
	for w.fifo.Len() >= max(e.limits.Window, 1) { // more than one if it was restored, and the limit was larger before
		old := w.fifo.Pop()
		w.seen.Remove(old.hash(), old)
	}
	w.add(k)
	return nil
}

func (w *Window) add(k tagged) {
	w.seen.Put(k.hash(), k, struct{}{})
	w.fifo.Push(k)
}

func (w *Window) has(k tagged) bool {
	_, ok := w.seen.Get(k.hash(), k)
	return ok
}

// AppendBinary appends the state.
func (w *Window) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(w.fifo.Len()))
	for i := range w.fifo.Len() {
		k := w.fifo.At(i)
		b = binary.AppendUvarint(values.AppendPeer(b, k.sender), k.tag)
	}
	return b, nil
}

// UnmarshalBinary sets the state.
func (w *Window) UnmarshalBinary(b []byte) error {
	*w = Window{Name: w.Name}
	r := values.NewFields(b)
	for range r.Count(values.PeerSize + 1) {
		var k tagged
		r.Peer(&k.sender)
		k.tag = r.Uint()
		if r.Err() != nil {
			break
		}
		if w.has(k) {
			return fmt.Errorf("window %s: %d of %v stands twice in it", w.Name, k.tag, k.sender)
		}
		w.add(k)
	}
	return r.End()
}

func (k *tagged) hash() uint64 { return container.Hash(container.HashPeer(k.sender), k.tag) }
