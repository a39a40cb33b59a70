package tensorio

import "google.golang.org/protobuf/encoding/protowire"

// appendMessage appends field num, a message or a string of bytes.
func appendMessage(dst []byte, num protowire.Number, msg []byte) []byte {
	dst = protowire.AppendTag(dst, num, protowire.BytesType)
	return protowire.AppendBytes(dst, msg)
}

// appendInt appends field num, an integer.
func appendInt(dst []byte, num protowire.Number, v uint64) []byte {
	dst = protowire.AppendTag(dst, num, protowire.VarintType)
	return protowire.AppendVarint(dst, v)
}
