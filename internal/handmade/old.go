package handmade

import (
	"crypto/sha256"
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/wire"
)

// OldEnvelope returns an envelope in the form of bytesandbrains 0.3: its sender is named by a hash, addresses are binary, it has the
// number of a request and a round-trip report, and neither an execution nor a number. Each fill has a suffix, a type and a payload.
func OldEnvelope(from, to wire.PeerID, request uint64, fills []wire.SlotFill) []byte {
	var b []byte
	bytes := func(field protowire.Number, x []byte) {
		b = protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), x)
	}
	number := func(to []byte, field protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), v)
	}
	bytes(1, oldAddress(to))
	for _, f := range fills {
		x := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), f.Suffix)
		x = protowire.AppendBytes(protowire.AppendTag(x, 2, protowire.BytesType), f.Payload)
		bytes(2, number(x, 4, uint64(f.Type)))
	}
	bytes(3, number(number(nil, 1, 1), 2, request))
	b = number(b, 4, 10e9)
	bytes(5, number(number(nil, 1, 7), 4, 1000)) // a round-trip report
	bytes(6, hashed(from))
	b = number(b, 7, 1)
	bytes(8, oldAddress(from))
	return b
}

// oldAddress is a peer and a value in it, in binary form.
func oldAddress(p wire.PeerID) []byte {
	b := protowire.AppendBytes(protowire.AppendVarint(nil, 421), hashed(p))
	return binary.BigEndian.AppendUint64(protowire.AppendVarint(b, 0xE2), 7)
}

// hashed is the SHA-256 of a peer's key as a multihash.
func hashed(p wire.PeerID) []byte {
	id, _ := p.AppendBinary(nil)
	sum := sha256.Sum256(id[2:])
	return append([]byte{0x12, 0x20}, sum[:]...)
}
