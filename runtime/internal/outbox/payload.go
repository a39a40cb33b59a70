package outbox

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Value is a value to be sent.
type Value struct {
	Data   []byte
	Memory *tensor.Memory // the memory of Data if it has a reference count
	Final  bool           // the value does not change any more
	Pinned bool           // the memory was pinned, see [Store.Pin]
}

// blob returns the value if it is final; nil if the caller may change it.
func (v *Value) blob() wire.Blob {
	if !v.Final {
		return nil
	}
	return wire.HeldIn(v.Memory, v.Data)
}

// Payload is bytes that several envelopes share. They do not change as long as an envelope refers to them.
type Payload struct {
	data   []byte         // nil: the blob has them
	blob   wire.Blob      // the file or large data of the payload; nil: neither
	memory *tensor.Memory // the memory of data if it has a reference count, with a reference
	own    bool           // data is a copy whose memory is reused
	pinned bool
	loads  bool      // the host was asked to load it
	loaded wire.Blob // what it has loaded, with a reference; nil: nothing
	refs   int       // of the envelopes, and of the creator
	bulk   wire.Bulk // its name as bulk
}

func (p *Payload) size() int {
	if p.blob != nil {
		return int(p.blob.Size())
	}
	return len(p.data)
}

// Data returns the bytes, or nil if they are not in memory.
func (p *Payload) Data() []byte { return p.data }

// Blob returns the file or the large data of the payload, or nil.
func (p *Payload) Blob() wire.Blob { return p.blob }

// Load records that the host loads the payload from its file. It returns false if that was recorded before.
func (p *Payload) Load() bool {
	before := p.loads
	p.loads = true
	return !before
}

// SetLoaded sets the payload in memory, and takes over the caller's reference to it.
func (p *Payload) SetLoaded(x wire.Blob) { p.loaded = x }

// IsLoaded reports whether SetLoaded was called.
func (p *Payload) IsLoaded() bool { return p.loaded != nil }

// whole returns the payload in memory if it was loaded, and otherwise its blob.
func (p *Payload) whole() wire.Blob {
	if p.loaded != nil {
		return p.loaded
	}
	return p.blob
}

// Payload returns a payload of a value, with a reference for the caller. The bytes are stored in the host's Spool,
// shared if the value is final and large, or copied.
func (s *Store) Payload(v *Value) *Payload {
	if blob := s.spool.Keep(v.Data, v.blob()); blob != nil {
		s.ledger.Add(nil, ledger.Payloads, int64(blob.Size()))
		return &Payload{blob: blob, refs: 1}
	}
	return s.Chunk(v)
}

// Chunk is [Store.Payload] of a value that is not stored in a Spool.
func (s *Store) Chunk(v *Value) *Payload {
	p := s.inMemory(v)
	p.refs = 1
	s.ledger.Add(nil, ledger.Payloads, int64(len(v.Data)))
	return p
}

func (s *Store) inMemory(v *Value) *Payload {
	switch {
	case v.Final:
		v.Memory.Retain()
		return &Payload{data: v.Data, blob: wire.HeldIn(v.Memory, v.Data), memory: v.Memory, pinned: v.Pinned}
	case tensor.AreLarge(len(v.Data)):
		c := wire.Copied(v.Data, len(v.Data) > s.chunk) // that is bulk
		return &Payload{data: c.Bytes(), blob: c, memory: c.Memory()}
	}
	var p *Payload
	if k := len(s.payloads); k > 0 {
		p, s.payloads = s.payloads[k-1], s.payloads[:k-1]
	} else {
		p = &Payload{own: true}
	}
	p.data = append(p.data[:0], v.Data...)
	return p
}

// Restored returns a payload of a snapshot, with a reference for the caller. It takes over the reference to the
// blob.
func (s *Store) Restored(blob wire.Blob) *Payload {
	p := &Payload{blob: blob, refs: 1}
	if b := blob.Bytes(); b != nil {
		p = &Payload{data: slices.Clone(b), refs: 1}
	}
	s.ledger.Add(nil, ledger.Payloads, int64(p.size()))
	return p
}

// Release releases a reference to a payload.
func (s *Store) Release(p *Payload) {
	if p.refs--; p.refs > 0 {
		return
	}
	s.ledger.Add(nil, ledger.Payloads, -int64(p.size()))
	if p.loaded != nil {
		p.loaded.Release()
		p.loaded = nil
	}
	switch {
	case p.data == nil && p.blob != nil:
		p.blob.Release()
	case p.own && p.blob == nil: // otherwise a host may still read it
		s.payloads = append(s.payloads, p)
	default:
		if p.pinned {
			s.unpin(p.memory)
		}
		p.memory.Release()
	}
}

// Pin counts one more payload that is a part of a larger value, and for which all memory of the value is kept. It
// returns false if that would exceed the limit; then the payload must be a copy.
func (s *Store) Pin(m *tensor.Memory) bool {
	if s.pins[m] == 0 {
		if !s.ledger.Admits(nil, ledger.Pinned, int64(len(m.Bytes()))) {
			return false
		}
		s.ledger.Add(nil, ledger.Pinned, int64(len(m.Bytes())))
	}
	if s.pins == nil {
		s.pins = map[*tensor.Memory]int{}
	}
	s.pins[m]++
	return true
}

// unpin records that a payload of a larger value was released.
func (s *Store) unpin(m *tensor.Memory) {
	if s.pins[m]--; s.pins[m] == 0 {
		delete(s.pins, m)
		s.ledger.Add(nil, ledger.Pinned, -int64(len(m.Bytes())))
	}
}

// name names a payload as bulk, once.
func (s *Store) name(p *Payload) {
	if p.bulk.ID == 0 {
		s.bulks++
		if p.blob == nil {
			p.blob = wire.HeldIn(p.memory, p.data)
		}
		p.bulk = wire.Bulk{ID: s.bulks, Size: p.blob.Size(), CRC: p.blob.CRC()}
	}
}
