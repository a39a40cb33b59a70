package values

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Spool stores large values for a host, so that a peer's memory does not depend on their number. A value for
// many peers or in many snapshots is stored once.
type Spool interface {
	// Put stores bytes and returns them as a Blob with a reference. It returns nil if they should stay in
	// memory.
	//
	// It is called while blocks run, and never waits for the disk: the host writes the bytes concurrently. If
	// final is not nil it holds these bytes, and the host takes a reference to it; otherwise the host copies
	// them before it returns.
	Put(data []byte, final wire.Blob) wire.Blob

	// Name makes a Blob durable with the snapshot that is being written, and returns its name. It returns 0 if
	// it cannot, and the snapshot holds the bytes. The snapshot is not durable before the Blob's bytes are
	// written: the host calls Persisted after that.
	Name(b wire.Blob) uint64

	// Open returns the value that an earlier process has stored under a name, with a reference, if its size and
	// checksum are the same.
	Open(name, size uint64, crc uint32) (wire.Blob, error)
}

// A Keeper uses the Spool of a host. Without a Spool, values stay in memory, and snapshots contain them.
type Keeper struct {
	Spool
	Err error // why a snapshot cannot be written
}

// Keep stores a large value.
func (s *Keeper) Keep(data []byte, final wire.Blob) wire.Blob {
	if s.Spool == nil || !tensor.AreLarge(len(data)) {
		return nil
	}
	return s.Put(data, final)
}

// Append writes a value in the form of snapshots: its name, size and checksum; or 0, its length and its bytes.
func (s *Keeper) Append(b, data []byte, final wire.Blob) []byte {
	if blob := s.Keep(data, final); blob != nil {
		defer blob.Release() // the snapshot refers to it
		return s.AppendBlob(b, blob)
	}
	b = append(b, 0)
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}

// AppendBlob is Append for a value that may be in a file.
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

// Read reads the output of Append. The caller gets a reference to the result.
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

// Payload returns the payload of a fill, reading its file if it is in one.
func Payload(fill *wire.SlotFill) ([]byte, error) {
	if fill.Blob == nil || fill.Payload != nil {
		return fill.Payload, nil
	}
	b := make([]byte, fill.Blob.Size())
	return b, ReadBlob(b, fill.Blob)
}
