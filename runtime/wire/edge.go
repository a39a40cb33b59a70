package wire

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// EdgeID identifies an edge of a program: the first 8 bytes, big endian, of the SHA-256 of its canonical text.
// Package edgeid computes it when a program is compiled; a peer contains only the numbers.
type EdgeID uint64

// String returns the id as 16 hexadecimal digits.
func (e EdgeID) String() string { return fmt.Sprintf("%016x", uint64(e)) }

// TypeHash identifies the type of an edge: the same hash of the type's canonical text.
type TypeHash uint64

// String returns the hash as 16 hexadecimal digits.
func (h TypeHash) String() string { return fmt.Sprintf("%016x", uint64(h)) }

// Codes of the parts of a destination suffix, each a LEB128 number before the
// part's bytes.
const (
	codeSite      = 0xE2 // 8 bytes, big endian
	codeComponent = 0xE3 // 4 bytes, big endian: only in addresses of bytesandbrains
	codeOp        = 0xE4 // length as a varint, UTF-8: the same
)

// SiteSize is the size of the suffix of an edge.
const SiteSize = 2 + 8

// AppendSite appends the destination suffix /site/<edge>.
func AppendSite(b []byte, e EdgeID) []byte {
	return binary.BigEndian.AppendUint64(protowire.AppendVarint(b, codeSite), uint64(e))
}

// ConsumeSite reads a suffix that is exactly /site/<edge>.
func ConsumeSite(suffix []byte) (EdgeID, bool) {
	if len(suffix) != SiteSize || suffix[0] != codeSite&0x7f|0x80 || suffix[1] != codeSite>>7 {
		return 0, false
	}
	return EdgeID(binary.BigEndian.Uint64(suffix[2:])), true
}
