package spool

import (
	"io/fs"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

// keep makes a value of bytes in memory, which are written to its file outside of the loop. It takes over the
// reference to them, and releases it when they are in the file.
func (w *Writer) keep(data wire.Blob) *valueFile {
	v := w.value()
	v.data, v.w = data, w
	v.shares++ // until they are written
	v.s.add(v)
	v.s.beside.post(v.writeWanted)
	return v
}

// writeWanted writes the file of a value that has a reference, or that a snapshot names. If that fails the
// value stays in memory, and is written with the next snapshot that names it.
func (v *valueFile) writeWanted() {
	defer v.Release()
	if !v.wanted() {
		return
	}
	if err := v.write(); err != nil {
		v.s.log.Warn("a large value stays in memory", "bytes", v.size, "err", err)
	}
}

// wanted reports whether the value is needed for anything except writing it.
func (v *valueFile) wanted() bool {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	return v.shares > 1 || v.named >= v.s.before
}

// write writes the file of a value, unless it is written. It waits for the disk, and only one goroutine writes
// at a time.
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

// place returns where the value is now: in memory, with a reference, or in a file.
func (v *valueFile) place() (wire.Blob, disk.File) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if v.data != nil {
		v.data.Retain()
		return v.data, nil
	}
	return nil, v.f
}

// forgetData releases the memory of the value. The caller holds the lock.
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
	case f == nil: // the value had no reference
		return 0, fs.ErrClosed
	}
	return f.ReadAt(p, off)
}
