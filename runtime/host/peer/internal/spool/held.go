package spool

import "github.com/bbgen/bbgen/runtime/wire"

// heldBlob is a value in memory that counts, until the node has taken it.
type heldBlob struct {
	*wire.Held
	s      *Spool
	of     *Share // of the peer that it came from
	shares int    // of the spool's lock; all of them are one share in the memory
}

// Held makes a value of memory for which hold has reserved room, with one share in it.
func (s *Spool) Held(of *Share, data *wire.Held) wire.Blob {
	return &heldBlob{Held: data, s: s, of: of, shares: 1}
}

// Retain makes one more share.
func (b *heldBlob) Retain() {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	b.shares++
}

// Release gives a share back.
func (b *heldBlob) Release() {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	if b.shares--; b.shares == 0 {
		b.s.letGo(b.of, b.Size())
		b.Held.Release()
	}
}
