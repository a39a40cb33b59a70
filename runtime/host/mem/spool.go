package mem

import (
	"bytes"
	"fmt"
	"io"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// spool keeps large values of a peer on its virtual disk, as many as there are
// descriptors for.
type spool struct {
	h       *host
	files   map[uint64]*value
	last    uint64 // the name given last
	written uint64 // the snapshot that is being written, or was
	frozen  bool   // nothing new is kept
	sick    error  // a value was used by who had no share in it
}

// openSpool makes the spool of a peer that starts, with the values that its snapshot names.
func (h *host) openSpool(values map[uint64][]byte) {
	if h.w.config.Spool == 0 {
		return
	}
	s := &spool{h: h, files: map[uint64]*value{}, written: 1}
	for name, data := range values {
		s.files[name] = &value{s: s, name: name, data: data, named: 1}
		s.last = max(s.last, name)
	}
	h.spool, h.config.Spool = s, s
}

// Put is [runtime.Spool.Put]. A value that is put twice is one file.
func (s *spool) Put(data []byte) wire.Blob {
	w := s.h.w
	if len(data) < w.config.Spool {
		return nil
	}
	for _, v := range s.files {
		if bytes.Equal(v.data, data) {
			v.shares++
			return v
		}
	}
	if s.frozen || len(s.files) >= w.config.SpoolFiles || w.now < s.h.disk.fullTil {
		return nil
	}
	s.last++
	v := &value{s: s, name: s.last, data: append([]byte(nil), data...), shares: 1}
	s.files[v.name] = v
	return v
}

// received is a bulk payload as the peer that has fetched it keeps it, with a share in it.
func (h *host) received(data wire.Blob) wire.Blob {
	if h.spool == nil {
		data.Retain()
		return data
	}
	b := make([]byte, data.Size())
	if _, err := data.ReadAt(b, 0); err != nil && err != io.EOF {
		h.w.fail(h, err)
	}
	if v := h.spool.Put(b); v != nil {
		return v
	}
	return wire.Copied(b, true)
}

// Name is [runtime.Spool.Name].
func (s *spool) Name(b wire.Blob) uint64 {
	v, ok := b.(*value)
	if !ok {
		return 0
	}
	v.named = s.written
	return v.name
}

// Open is [runtime.Spool.Open].
func (s *spool) Open(name, size uint64, crc uint32) (wire.Blob, error) {
	v := s.files[name]
	if v == nil || v.Size() != size || v.CRC() != crc {
		return nil, fmt.Errorf("value %d of %d bytes is not on the disk", name, size)
	}
	v.shares++
	return v, nil
}

// sync returns what the snapshot names that is written now, and removes what neither it
// names nor anybody has a share in.
func (s *spool) sync() map[uint64][]byte {
	values := map[uint64][]byte{}
	for name, v := range s.files {
		switch {
		case v.named == s.written:
			values[name] = v.data
		case v.shares == 0:
			delete(s.files, name)
		}
	}
	return values
}

// shares is how many shares there are in all values.
func (s *spool) shares() (n int) {
	for _, v := range s.files {
		n += v.shares
	}
	return n
}

// Spooled returns how many shares a peer has in values on its disk, and whether one was
// used that it had no share in.
func (w *Network) Spooled(i int) (shares int, err error) {
	if s := w.hosts[i].spool; s != nil {
		return s.shares(), s.sick
	}
	return 0, nil
}

// value is a large value on a virtual disk.
type value struct {
	s      *spool
	name   uint64
	data   []byte
	shares int
	named  uint64 // the snapshot that has named it last
}

func (v *value) check(what string) {
	if v.shares <= 0 && v.s.sick == nil {
		v.s.sick = fmt.Errorf("node %d: value %d is %s by who has no share in it", v.s.h.index, v.name, what)
	}
}

// ReadAt copies bytes from off on.
func (v *value) ReadAt(p []byte, off int64) (int, error) {
	v.check("read")
	return wire.Bytes(v.data).ReadAt(p, off)
}

// Size is how many bytes there are.
func (v *value) Size() uint64 { return uint64(len(v.data)) }

// CRC is their sum.
func (v *value) CRC() uint32 { return wire.CRC(v.data) }

// Bytes is nil: it is on the disk.
func (v *value) Bytes() []byte { return nil }

// Memory is nil.
func (v *value) Memory() *tensor.Memory { return nil }

// Retain makes one more share.
func (v *value) Retain() {
	v.check("shared")
	v.shares++
}

// Release gives a share back. What a snapshot has named waits for the next one.
func (v *value) Release() {
	v.check("released")
	if v.shares--; v.shares == 0 && v.named == 0 {
		delete(v.s.files, v.name)
	}
}
