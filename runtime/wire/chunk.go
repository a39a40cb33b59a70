package wire

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/cpu/crc32c"
)

// CRC returns the checksum of payloads and chunks. It detects accidental damage; the channel prevents
// manipulation.
func CRC(p []byte) uint32 { return crc32c.Update(0, p) }

// AddCRC returns the checksum of bytes with the checksum crc, followed by p.
func AddCRC(crc uint32, p []byte) uint32 { return crc32c.Update(crc, p) }

// Chunk is a part of a bulk payload.
type Chunk struct {
	Bulk   uint64 // its [Bulk.ID]
	Offset uint64
	CRC    uint32 // of Data; 0: not used, as the channel and the payload's checksum are enough
	Data   []byte // the last field of the message
}

// message Chunk
const (
	chunkBulk   = 1<<3 | varintType
	chunkOffset = 2<<3 | varintType
	chunkCRC    = 3<<3 | fixed32Type
	chunkData   = 4<<3 | bytesType
)

// AppendChunkHead appends a chunk without its data, n bytes, which the caller sends after it. It returns the
// total size of the chunk.
func AppendChunkHead(b []byte, c *Chunk, n int) (head []byte, size int) {
	start := len(b)
	b = appendVarint(b, chunkBulk, c.Bulk)
	b = appendVarint(b, chunkOffset, c.Offset)
	b = appendFixed32(b, chunkCRC, c.CRC)
	if n > 0 {
		b = appendHead(b, chunkData, n)
	}
	return b, len(b) - start + n
}

// AppendChunk appends a chunk.
func AppendChunk(b []byte, c *Chunk) []byte {
	b, _ = AppendChunkHead(b, c, len(c.Data))
	return append(b, c.Data...)
}

// ChunkHead is an upper bound of the size of a chunk without its data.
const ChunkHead = 48

// ConsumeChunkHead reads a chunk without its data, so that these can be read into their place. The message has
// size bytes, of which b holds the first [ChunkHead], or all. It returns the number of bytes before the data,
// which are the rest of the message.
func ConsumeChunkHead(b []byte, size int, lim *Limits) (c Chunk, head int, err error) {
	for at := 0; at < len(b); {
		x, n := protowire.ConsumeVarint(b[at:])
		if tag(x) == chunkData && n > 0 {
			k, m := protowire.ConsumeVarint(b[at+n:])
			head = at + n + m
			switch {
			case m < 0 || k == 0 || k != uint64(size-head):
				return Chunk{}, 0, malformed("chunk", "its data are not the rest of it")
			case c.Bulk == 0:
				return Chunk{}, 0, malformed("chunk", "no bulk id")
			}
			return c, head, within("chunk", int(k), lim.Chunk)
		}
		t, v, _, rest, err := next(b[at:])
		if err != nil {
			return Chunk{}, 0, malformed("chunk", "%v", err)
		}
		at = len(b) - len(rest)
		switch t {
		case chunkBulk:
			c.Bulk = v
		case chunkOffset:
			c.Offset = v
		case chunkCRC:
			c.CRC = uint32(v)
		}
	}
	return Chunk{}, 0, malformed("chunk", "no data where they should be")
}

// ConsumeChunk reads a chunk, which is all of b, and checks its checksum. Data aliases b.
func ConsumeChunk(b []byte, lim *Limits) (Chunk, error) {
	c, head, err := ConsumeChunkHead(b, len(b), lim)
	if err != nil {
		return Chunk{}, err
	}
	c.Data = b[head:]
	return c, c.check()
}

// check compares the data with their checksum, if there is one.
func (c *Chunk) check() error {
	if c.CRC == 0 {
		return nil
	}
	if sum := CRC(c.Data); sum != c.CRC {
		return malformed("chunk", "bulk %d at %d: checksum %08x, want %08x", c.Bulk, c.Offset, sum, c.CRC)
	}
	return nil
}

// Ack acknowledges chunks: [0, Offset) was received, so that sending continues there after a reconnect, and
// there is room for Credit more bytes.
type Ack struct {
	Bulk   uint64
	Offset uint64
	Credit uint64
}

// message Ack, which has no field of a chunk, as both are on one stream
const (
	ackBulk   = 5<<3 | varintType
	ackOffset = 6<<3 | varintType
	ackCredit = 7<<3 | varintType
)

// IsAck reports whether a message of the bulk stream is an Ack, not a chunk.
func IsAck(b []byte) bool { return len(b) > 0 && tag(b[0]) == ackBulk }

// AppendAck appends an Ack.
func AppendAck(b []byte, a Ack) []byte {
	b = appendVarint(b, ackBulk, a.Bulk)
	b = appendVarint(b, ackOffset, a.Offset)
	return appendVarint(b, ackCredit, a.Credit)
}

// ConsumeAck reads an Ack, which is all of b.
func ConsumeAck(b []byte) (a Ack, err error) {
	for len(b) > 0 {
		var t tag
		var v uint64
		if t, v, _, b, err = next(b); err != nil {
			return Ack{}, malformed("ack", "%v", err)
		}
		switch t {
		case ackBulk:
			a.Bulk = v
		case ackOffset:
			a.Offset = v
		case ackCredit:
			a.Credit = v
		}
	}
	if a.Bulk == 0 {
		return Ack{}, malformed("ack", "no bulk id")
	}
	return a, nil
}
