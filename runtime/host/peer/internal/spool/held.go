package spool

import "github.com/bbgen/bbgen/runtime/wire"

// heldBlob is a received value in memory that counts in the limits until it is released.
type heldBlob struct {
	*wire.Held
	s      *Spool
	of     *Share // the peer from which it came
	shares int    // guarded by the spool's lock; together they are one reference to the memory
}

// Held makes a value of memory for which Hold has reserved room, with one reference.
func (s *Spool) Held(of *Share, data *wire.Held) wire.Blob {
	return &heldBlob{Held: data, s: s, of: of, shares: 1}
}

// Retain adds a reference.
func (b *heldBlob) Retain() {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	b.shares++
}

// Release releases a reference.
func (b *heldBlob) Release() {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	if b.shares--; b.shares == 0 {
		b.s.letGo(b.of, b.Size())
		b.Held.Release()
	}
}
