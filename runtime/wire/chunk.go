package wire

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC is the checksum of payloads and chunks. It finds accidents; that nobody
// meddles is the channel's promise.
func CRC(p []byte) uint32 { return crc32.Checksum(p, castagnoli) }

// Chunk is a part of a bulk payload.
type Chunk struct {
	Bulk   uint64 // its [Bulk.ID]
	Offset uint64
	CRC    uint32 // of Data
	Data   []byte
}

// message Chunk
const (
	chunkBulk   = 1<<3 | varintType
	chunkOffset = 2<<3 | varintType
	chunkCRC    = 3<<3 | fixed32Type
	chunkData   = 4<<3 | bytesType
)

// AppendChunkHead appends all of a chunk but its data, which the caller sends
// behind it. It returns how many bytes the chunk takes in all.
func AppendChunkHead(b []byte, c *Chunk) (head []byte, size int) {
	start := len(b)
	b = appendVarint(b, chunkBulk, c.Bulk)
	b = appendVarint(b, chunkOffset, c.Offset)
	b = appendFixed32(b, chunkCRC, c.CRC)
	if len(c.Data) > 0 {
		b = appendHead(b, chunkData, len(c.Data))
	}
	return b, len(b) - start + len(c.Data)
}

// AppendChunk appends a chunk.
func AppendChunk(b []byte, c *Chunk) []byte {
	b, _ = AppendChunkHead(b, c)
	return append(b, c.Data...)
}

// ConsumeChunk reads a chunk, which is all of b, and checks its sum. Data
// aliases b.
func ConsumeChunk(b []byte, lim *Limits) (c Chunk, err error) {
	for len(b) > 0 {
		var t tag
		var v uint64
		var p []byte
		if t, v, p, b, err = next(b); err != nil {
			return Chunk{}, malformed("chunk", "%v", err)
		}
		switch t {
		case chunkBulk:
			c.Bulk = v
		case chunkOffset:
			c.Offset = v
		case chunkCRC:
			c.CRC = uint32(v)
		case chunkData:
			c.Data = p
		}
	}
	if err := within("chunk", len(c.Data), lim.Chunk); err != nil {
		return Chunk{}, err
	}
	if c.Bulk == 0 || len(c.Data) == 0 {
		return Chunk{}, malformed("chunk", "no bulk id or no data")
	}
	if sum := CRC(c.Data); sum != c.CRC {
		return Chunk{}, malformed("chunk", "bulk %d at %d: checksum %08x, want %08x", c.Bulk, c.Offset, sum, c.CRC)
	}
	return c, nil
}

// Ack answers chunks: [0, Offset) is here, so that sending goes on there after a
// reconnect, and there is room for Credit bytes more.
type Ack struct {
	Bulk   uint64
	Offset uint64
	Credit uint64
}

// message Ack, whose fields are none of a chunk's: both travel on one stream
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
