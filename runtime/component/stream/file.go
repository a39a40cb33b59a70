package stream

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
)

// longest is the maximum number of bytes of a line.
const longest = 64 << 10

var errLong = fmt.Errorf("the line is longer than %d bytes", longest)

// file is a file that can be read at any position.
type file interface {
	fs.File
	io.ReaderAt
}

// reader reads the lines from the position on.
type reader struct {
	file file
	buf  *bufio.Reader
}

// reader opens the file. If the bytes before the position have changed, the file was replaced, as logs are: it is read from its
// beginning.
func (l *Lines) reader() (*reader, error) {
	f, size, err := l.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: there is no such file yet", l.Path, ErrDry)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Path, err)
	}
	var before uint32
	if size >= l.position {
		before, err = l.checksum(f)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, fmt.Errorf("%s: %w", l.Path, err)
	}
	if size < l.position || before != l.before {
		l.state = state{}
	}
	rest := io.NewSectionReader(f, l.position, math.MaxInt64-l.position)
	return &reader{f, bufio.NewReaderSize(rest, longest)}, nil
}

// open opens the file, and returns its size. What is no file of bytes is refused before it is opened: a pipe without a writer would block.
func (l *Lines) open() (file, int64, error) {
	info, err := fs.Stat(l.data, l.Path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("it is %v, want a regular file", info.Mode())
	}
	opened, err := l.data.Open(l.Path)
	if err != nil {
		return nil, 0, err
	}
	f, ok := opened.(file)
	if info, err = opened.Stat(); err == nil && !ok {
		err = errors.New("it can only be read from its beginning, want one with positions")
	}
	if err != nil {
		_ = opened.Close() // nothing was written
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// line returns the next line, and its size in bytes, which is 0 if its end has not been written. A line that is too long is an error,
// and its size is known all the same.
func (r *reader) line() (text string, size int64, err error) {
	b, err := r.buf.ReadSlice('\n')
	switch err {
	case nil:
		return string(b), int64(len(b)), nil
	case io.EOF:
		return "", 0, nil
	case bufio.ErrBufferFull:
		size, err = r.skip(int64(len(b)))
	}
	return "", size, err
}

// skip skips the rest of a line that is too long, and returns its size.
func (r *reader) skip(size int64) (int64, error) {
	for {
		b, err := r.buf.ReadSlice('\n')
		size += int64(len(b))
		switch err {
		case nil:
			return size, errLong
		case io.EOF:
			return 0, errLong
		case bufio.ErrBufferFull:
			continue
		}
		return 0, err
	}
}

func (r *reader) close() { _ = r.file.Close() } // nothing was written
