package spool

import (
	"io/fs"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

// keep makes a value of bytes in memory, which are written to its file beside the loop.
// It takes the share in them, which it gives back when they are in the file.
func (w *Writer) keep(data wire.Blob) *valueFile {
	v := w.value()
	v.data, v.w = data, w
	v.shares++ // until they are written
	v.s.add(v)
	v.s.beside.post(v.writeWanted)
	return v
}

// writeWanted writes the file of a value that somebody still has a share in, or that a
// snapshot names. What cannot be written stays in memory, and is tried again when a
// snapshot is written that names it.
func (v *valueFile) writeWanted() {
	defer v.Release()
	if !v.wanted() {
		return
	}
	if err := v.write(); err != nil {
		v.s.log.Warn("a large value stays in memory", "bytes", v.size, "err", err)
	}
}

// wanted reports whether somebody needs the value beside who writes it.
func (v *valueFile) wanted() bool {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	return v.shares > 1 || v.named >= v.s.before
}

// write writes the file of a value, if that is not done. It takes as long as the disk
// does, and only one does it at a time.
func (v *valueFile) write() error {
	v.writing.Lock()
	defer v.writing.Unlock()
	data, _ := v.place()
	if data == nil {
		return nil
	}
	defer data.Release()
	err := v.w.writeAt(data.Bytes(), 0)
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	v.f = v.w.f
	if err == nil {
		v.forgetData()
	}
	return err
}

// place is where the value is now: in memory, with a share in it, or in a file.
func (v *valueFile) place() (wire.Blob, disk.File) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if v.data != nil {
		v.data.Retain()
		return v.data, nil
	}
	return nil, v.f
}

// forgetData gives back the memory of the value. The spool is locked.
func (v *valueFile) forgetData() {
	if v.data != nil {
		v.data.Release()
		v.data = nil
	}
}

// ReadAt reads a part of the value.
func (v *valueFile) ReadAt(p []byte, off int64) (int, error) {
	data, f := v.place()
	switch {
	case data != nil:
		defer data.Release()
		return data.ReadAt(p, off)
	case f == nil: // nobody had a share in it
		return 0, fs.ErrClosed
	}
	return f.ReadAt(p, off)
}
