// Package disktest has file systems for tests that fail like disks.
package disktest

import (
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// Op is an operation of a file system.
type Op string

// The operations of a file system.
const (
	Open   Op = "open" // to read
	Create Op = "create"
	Write  Op = "write"
	Sync   Op = "sync" // a file, or a directory
	Rename Op = "rename"
	Link   Op = "link"
	Remove Op = "remove"
	Mkdir  Op = "mkdir"
)

// Faulty is the file system of the process, with faults.
type Faulty struct {
	mu    sync.Mutex
	fault func(op Op, name string) error
	room  int64 // bytes that may still be written; negative: unlimited
}

// New returns a file system without faults.
func New() *Faulty { return &Faulty{room: -1} }

// Fault sets a function that decides about each call from now on; nil: none fails. It may block.
func (d *Faulty) Fault(f func(op Op, name string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = f
}

// Room sets how many bytes may still be written: later bytes are cut off, as by a full disk. Negative:
// unlimited.
func (d *Faulty) Room(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = n
}

func (d *Faulty) ask(op Op, name string) error {
	d.mu.Lock()
	f := d.fault
	d.mu.Unlock()
	if f == nil {
		return nil
	}
	if err := f(op, name); err != nil {
		return &fs.PathError{Op: string(op), Path: name, Err: err}
	}
	return nil
}

// take returns how many of n bytes there is room for.
func (d *Faulty) take(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.room < 0 {
		return n
	}
	n = int(min(int64(n), d.room))
	d.room -= int64(n)
	return n
}

// OpenFile implements [disk.FS].
func (d *Faulty) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	op := Open
	if flag&os.O_CREATE != 0 {
		op = Create
	}
	if err := d.ask(op, name); err != nil {
		return nil, err
	}
	f, err := disk.OS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &file{f, d}, nil
}

// Rename implements [disk.FS].
func (d *Faulty) Rename(from, to string) error {
	if err := d.ask(Rename, to); err != nil {
		return err
	}
	return disk.OS.Rename(from, to)
}

// Link implements [disk.FS].
func (d *Faulty) Link(from, to string) error {
	if err := d.ask(Link, to); err != nil {
		return err
	}
	return disk.OS.Link(from, to)
}

// Remove implements [disk.FS].
func (d *Faulty) Remove(name string) error {
	if err := d.ask(Remove, name); err != nil {
		return err
	}
	return disk.OS.Remove(name)
}

// MkdirAll implements [disk.FS].
func (d *Faulty) MkdirAll(dir string, perm fs.FileMode) error {
	if err := d.ask(Mkdir, dir); err != nil {
		return err
	}
	return disk.OS.MkdirAll(dir, perm)
}

// ReadFile implements [disk.FS].
func (d *Faulty) ReadFile(name string) ([]byte, error) {
	if err := d.ask(Open, name); err != nil {
		return nil, err
	}
	return disk.OS.ReadFile(name)
}

// ReadDir implements [disk.FS].
func (d *Faulty) ReadDir(dir string) ([]fs.DirEntry, error) {
	if err := d.ask(Open, dir); err != nil {
		return nil, err
	}
	return disk.OS.ReadDir(dir)
}

// SyncDir implements [disk.FS].
func (d *Faulty) SyncDir(dir string) error {
	if err := d.ask(Sync, dir); err != nil {
		return err
	}
	return disk.OS.SyncDir(dir)
}

// file is an open file of a Faulty.
type file struct {
	disk.File
	d *Faulty
}

// write writes as much as there is room for.
func (f *file) write(p []byte, do func(p []byte) (int, error)) (int, error) {
	if err := f.d.ask(Write, f.Name()); err != nil {
		return 0, err
	}
	room := f.d.take(len(p))
	n, err := do(p[:room])
	if err == nil && room < len(p) {
		err = &fs.PathError{Op: string(Write), Path: f.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

func (f *file) Write(p []byte) (int, error) { return f.write(p, f.File.Write) }

func (f *file) WriteAt(p []byte, at int64) (int, error) {
	return f.write(p, func(p []byte) (int, error) { return f.File.WriteAt(p, at) })
}

func (f *file) Sync() error {
	if err := f.d.ask(Sync, f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}
