package tensorio

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
)

// maxPipe is the largest number of bytes that [ReadFile] takes of what has no size, such as a pipe: that of the largest
// message of protobuf.
const maxPipe = 1<<31 - 1

// ReadFile reads a whole open file, such as one with a tensor or a model. Of a pipe or a device, which may have no end, it
// reads 2 GiB at most.
func ReadFile(f fs.File) ([]byte, error) { return readFile(f, maxPipe) }

func readFile(f fs.File, most int64) ([]byte, error) {
	s, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !s.Mode().IsRegular() {
		b, err := io.ReadAll(io.LimitReader(f, most+1))
		if err == nil && int64(len(b)) > most {
			return nil, fmt.Errorf("%s is no file, and has more than %d bytes: want a file", s.Name(), most)
		}
		return b, err
	}
	var b bytes.Buffer
	b.Grow(int(min(s.Size(), 1<<30)) + bytes.MinRead)
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}
