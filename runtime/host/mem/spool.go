package mem

import (
	"bytes"
	"fmt"
	"io"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// spool stores large values of a peer on its virtual disk, limited by the number of descriptors.
type spool struct {
	h       *host
	files   map[uint64]*value
	last    uint64 // the latest name
	written uint64 // the number of the latest snapshot, written or being written
	frozen  bool   // no new values are stored
	sick    error  // a value was used without a reference
}

// openSpool makes the spool of a starting peer, with the values that its snapshot names.
func (h *host) openSpool(values map[uint64][]byte) {
	if h.w.config.Spool == 0 {
		return
	}
	s := &spool{h: h, files: map[uint64]*value{}, written: 1}
	for name, data := range values {
		s.files[name] = &value{s: s, name: name, data: data, crc: wire.CRC(data), named: 1}
		s.last = max(s.last, name)
	}
	h.spool, h.config.Spool = s, s
}

// Put is [values.Spool.Put]: the value is in memory until it is written, some time later or with the snapshot
// that names it. A value that is put twice is one file.
func (s *spool) Put(data []byte, final wire.Blob) wire.Blob {
	v, isNew := s.keep(data)
	if !isNew {
		return v.blob()
	}
	if final == nil {
		final = wire.Bytes(bytes.Clone(data))
	}
	final.Retain()
	v.data, v.unwritten = final.Bytes(), final
	s.h.plan(s.h.w.now+s.h.w.upTo(s.h.w.config.Persist), v.writeLater)
	return v
}

// keep finds or makes a value of final bytes, and adds a reference. It returns nil if the value is too small or
// there are no more descriptors.
func (s *spool) keep(data []byte) (v *value, isNew bool) {
	w := s.h.w
	if len(data) < w.config.Spool {
		return nil, false
	}
	for _, v := range s.files {
		if bytes.Equal(v.data, data) {
			v.shares++
			return v, false
		}
	}
	if s.frozen || len(s.files) >= w.config.SpoolFiles {
		return nil, false
	}
	s.last++
	v = &value{s: s, name: s.last, data: data, crc: wire.CRC(data), shares: 1}
	s.files[v.name] = v
	return v, true
}

// received returns a received bulk payload in the form in which the peer keeps it, with a reference.
func (h *host) received(data wire.Blob) wire.Blob {
	if h.spool == nil {
		data.Retain()
		return data
	}
	b := make([]byte, data.Size())
	if _, err := data.ReadAt(b, 0); err != nil && err != io.EOF {
		h.w.fail(h, err)
	}
	if h.w.now >= h.disk.fullTil {
		if v, _ := h.spool.keep(b); v != nil {
			return v // it was written while it was received
		}
	}
	return wire.Copied(b, true)
}

// Name is [values.Spool.Name].
func (s *spool) Name(b wire.Blob) uint64 {
	v, ok := b.(*value)
	if !ok {
		return 0
	}
	v.named = s.written
	return v.name
}

// Open is [values.Spool.Open].
func (s *spool) Open(name, size uint64, crc uint32) (wire.Blob, error) {
	v := s.files[name]
	if v == nil || v.Size() != size || v.CRC() != crc {
		return nil, fmt.Errorf("value %d of %d bytes is not on the disk", name, size)
	}
	v.shares++
	return v, nil
}

// sync writes the values that the present snapshot names, and returns them. It removes values without
// references that the snapshot does not name.
func (s *spool) sync() map[uint64][]byte {
	values := map[uint64][]byte{}
	for name, v := range s.files {
		switch {
		case v.named == s.written:
			v.write()
			values[name] = v.data
		case v.shares == 0:
			v.remove()
		}
	}
	return values
}

// shares returns the number of references to all values.
func (s *spool) shares() (n int) {
	for _, v := range s.files {
		n += v.shares
	}
	return n
}

// Spooled returns the number of references to values on a peer's disk, and an error if a value was used without
// a reference.
func (w *Network) Spooled(i int) (shares int, err error) {
	if s := w.hosts[i].spool; s != nil {
		return s.shares(), s.sick
	}
	return 0, nil
}

// value is a large value on a virtual disk.
type value struct {
	s         *spool
	name      uint64
	data      []byte
	crc       uint32
	unwritten wire.Blob // the memory of data, with a reference; nil: it is on the disk
	shares    int
	named     uint64 // the latest snapshot that names it
}

// blob is v, or nil.
func (v *value) blob() wire.Blob {
	if v == nil {
		return nil
	}
	return v
}

// writeLater writes a value that is still needed. If the disk is full, it tries again later.
func (v *value) writeLater() {
	h := v.s.h
	switch {
	case h.spool != v.s || v.unwritten == nil: // it was lost in a crash, dropped or written
	case h.w.now < h.disk.fullTil:
		h.w.struck(DiskFull)
		h.plan(h.w.now+retrySave, v.writeLater)
	default:
		v.write()
	}
}

// write writes the value to the disk. It checks that the memory of the value has not changed.
func (v *value) write() {
	if v.unwritten == nil {
		return
	}
	if wire.CRC(v.data) != v.crc && v.s.sick == nil {
		v.s.sick = fmt.Errorf("node %d: value %d has changed before it was written", v.s.h.index, v.name)
	}
	v.data = bytes.Clone(v.data)
	v.forget()
}

// forget releases the memory of a value that is written, or not needed.
func (v *value) forget() {
	if v.unwritten != nil {
		v.unwritten.Release()
		v.unwritten = nil
	}
}

func (v *value) remove() {
	delete(v.s.files, v.name)
	v.forget()
}

func (v *value) check(what string) {
	if v.shares <= 0 && v.s.sick == nil {
		v.s.sick = fmt.Errorf("node %d: value %d is %s without a reference to it", v.s.h.index, v.name, what)
	}
}

// ReadAt copies bytes from off on.
func (v *value) ReadAt(p []byte, off int64) (int, error) {
	v.check("read")
	return wire.Bytes(v.data).ReadAt(p, off)
}

// Size returns the number of bytes.
func (v *value) Size() uint64 { return uint64(len(v.data)) }

// CRC returns their checksum.
func (v *value) CRC() uint32 { return v.crc }

// Bytes returns nil: the value is on the disk.
func (v *value) Bytes() []byte { return nil }

// Memory returns nil.
func (v *value) Memory() *tensor.Memory { return nil }

// Retain adds a reference.
func (v *value) Retain() {
	v.check("shared")
	v.shares++
}

// Release releases a reference. A value that a snapshot has named is kept until the next one.
func (v *value) Release() {
	v.check("released")
	if v.shares--; v.shares == 0 && v.named == 0 {
		v.remove()
	}
}

// unwritten returns how many needed values a crash would lose.
func (s *spool) unwritten() (n int) {
	for _, v := range s.files {
		if v.unwritten != nil {
			n++
		}
	}
	return n
}
