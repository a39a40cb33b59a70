package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// FS is a writable file system.
type FS interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Rename(from, to string) error
	Link(from, to string) error
	Remove(name string) error
	MkdirAll(dir string, perm fs.FileMode) error
	ReadFile(name string) ([]byte, error)
	ReadDir(dir string) ([]fs.DirEntry, error)

	// SyncDir makes the names in a directory durable.
	SyncDir(dir string) error
}

// File is an open file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
	Sync() error
}

// OS is the file system of the process.
var OS FS = system{}

type system struct{}

// OpenFile opens a regular file, or makes one. It does not wait for the other end of a pipe.
func (system) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag|nonblock, perm)
	if err != nil {
		return nil, err // a nil *os.File would not be a nil File
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: special(info.Mode())}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (system) Rename(from, to string) error                { return os.Rename(from, to) }
func (system) Link(from, to string) error                  { return os.Link(from, to) }
func (system) Remove(name string) error                    { return os.Remove(name) }
func (system) MkdirAll(dir string, perm fs.FileMode) error { return os.MkdirAll(dir, perm) }
func (system) ReadDir(dir string) ([]fs.DirEntry, error)   { return os.ReadDir(dir) }
func (system) SyncDir(dir string) error                    { return syncDir(dir) }

// ReadFile reads a regular file. A pipe would wait for a writer for ever, and a device may have no end.
func (system) ReadFile(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: special(info.Mode())}
	}
	return os.ReadFile(name)
}

// special is the error for what is no regular file.
type special fs.FileMode

func (m special) Error() string { return "it is no file but a " + m.kind() }

func (m special) kind() string {
	switch m := fs.FileMode(m); {
	case m.IsDir():
		return "folder"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// IsSpecial reports whether an error means that something is no regular file.
func IsSpecial(err error) bool {
	_, ok := errors.AsType[special](err)
	return ok
}
