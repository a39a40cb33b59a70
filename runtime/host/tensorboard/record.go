package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedSum returns a checksum in the form of TFRecord files: rotated, so that data that contain a checksum are
// no special case.
func maskedSum(b []byte) uint32 {
	sum := crc32.Checksum(b, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// appendRecord appends data in TFRecord's framing: length, checksum of the length, data and
// checksum of the data, in little endian.
func appendRecord(dst, data []byte) []byte {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	dst = append(dst, head...)
	dst = binary.LittleEndian.AppendUint32(dst, maskedSum(head))
	dst = append(dst, data...)
	return binary.LittleEndian.AppendUint32(dst, maskedSum(data))
}
