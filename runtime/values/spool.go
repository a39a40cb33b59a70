package values

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Spool is where a host keeps large values, so that a peer's memory does not
// depend on how many of them there are. A value that went to many peers, or that
// stands in many snapshots, is kept once.
type Spool interface {
	// Put keeps bytes and returns them as a Blob, with a share in it. It returns
	// nil if they had better stay in memory.
	//
	// It is called while blocks run, and never waits for the disk: the host writes the
	// bytes beside the Node. If final is not nil it is these bytes, and the host takes a
	// share in it; else they are the caller's again, and the host copies them.
	Put(data []byte, final wire.Blob) wire.Blob

	// Name has a Blob survive with the snapshot that is being written, and
	// returns what it is called there: 0 if it cannot, and the snapshot holds the
	// bytes. The snapshot is not safe before the Blob's bytes are written: the host
	// calls Persisted after that.
	Name(b wire.Blob) uint64

	// Open returns what an earlier process has kept under a name, with a share in
	// it, if it still is these bytes.
	Open(name, size uint64, crc uint32) (wire.Blob, error)
}

// Keeper is a host's, or none: then values stay in memory, and stand in snapshots themselves.
type Keeper struct {
	Spool
	Err error // why a snapshot cannot be written
}

// Keep keeps what is large.
func (s *Keeper) Keep(data []byte, final wire.Blob) wire.Blob {
	if s.Spool == nil || !tensor.AreLarge(len(data)) {
		return nil
	}
	return s.Put(data, final)
}

// Append writes a value as snapshots have it: its name, size and sum, or 0 and
// the bytes behind their number.
func (s *Keeper) Append(b, data []byte, final wire.Blob) []byte {
	if blob := s.Keep(data, final); blob != nil {
		defer blob.Release() // the snapshot has it
		return s.AppendBlob(b, blob)
	}
	b = append(b, 0)
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}

// AppendBlob is append of a value that is in a file, or may be.
func (s *Keeper) AppendBlob(b []byte, x wire.Blob) []byte {
	if s.Spool != nil {
		if name := s.Name(x); name != 0 {
			b = binary.AppendUvarint(b, name)
			b = binary.AppendUvarint(b, x.Size())
			return binary.LittleEndian.AppendUint32(b, x.CRC())
		}
	}
	b = append(b, 0)
	b = binary.AppendUvarint(b, x.Size())
	at := len(b)
	b = append(b, make([]byte, x.Size())...)
	if err := ReadBlob(b[at:], x); err != nil && s.Err == nil {
		s.Err = fmt.Errorf("a value of %d bytes: %w", x.Size(), err)
	}
	return b
}

var errNoSpool = errors.New("it is in a file, and the host keeps none")

// Read reads what append has written. The caller has a share in it.
func (s *Keeper) Read(r *Fields) (wire.Blob, error) {
	name := r.Uint()
	if name == 0 {
		data, _ := r.take(r.Count(1))
		return wire.Bytes(data), r.err
	}
	size := r.Uint()
	sum, ok := r.take(4)
	switch {
	case !ok:
		return nil, r.err
	case s.Spool == nil:
		return nil, errNoSpool
	}
	return s.Open(name, size, binary.LittleEndian.Uint32(sum))
}

// ReadBlob reads all of a value.
func ReadBlob(dst []byte, x wire.Blob) error {
	if b := x.Bytes(); b != nil {
		copy(dst, b)
		return nil
	}
	n, err := x.ReadAt(dst, 0)
	if n == len(dst) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Payload returns the payload of a fill, which it reads from its file if it is in one.
func Payload(fill *wire.SlotFill) ([]byte, error) {
	if fill.Blob == nil || fill.Payload != nil {
		return fill.Payload, nil
	}
	b := make([]byte, fill.Blob.Size())
	return b, ReadBlob(b, fill.Blob)
}
