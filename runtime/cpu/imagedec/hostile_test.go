package imagedec

import (
	"encoding/binary"
	"runtime"
	"testing"
)

// allocatesLittle decodes a file that must be refused at little cost, with an error if one is given.
func allocatesLittle(t *testing.T, name string, data []byte, want error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := decode(data)
	runtime.ReadMemStats(&after)
	if err == nil || want != nil && err != want {
		t.Errorf("%s: got %v, %v, want %v", name, p, err, want)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%s: %d bytes took %d KiB", name, len(data), took>>10)
	}
}

// emptyJP2 returns a codestream of a tile whose packets are empty: all samples are in the middle.
func emptyJP2(width, height, parts int) []byte {
	u32 := binary.BigEndian.AppendUint32
	b := append([]byte("\xff\x4f\xff\x51"), be(38+3*parts, 0)...)
	for _, v := range []int{width, height, 0, 0, width, height, 0, 0} {
		b = u32(b, uint32(v))
	}
	b = append(b, be(parts)...)
	for range parts {
		b = append(b, 7, 1, 1)
	}
	b = append(append(append(b, "\xff\x52"...), be(12)...), 0, 0, 0, 1, 0, 0, 4, 4, 0, 1)
	b = append(append(append(b, "\xff\x5c"...), be(4)...), 0x40, 8<<3)
	b = append(append(append(b, "\xff\x90"...), be(10, 0, 0, 14+parts)...), 0, 1, 0xff, 0x93)
	return append(append(b, make([]byte, parts)...), 0xff, 0xd9)
}

// jp2Boxes puts a codestream into boxes, with one that does not matter. The color space is a number of the specification.
func jp2Boxes(space int, stream []byte, more ...[]byte) []byte {
	b := []byte("\x00\x00\x00\x0cjP  \r\n\x87\n")
	head := jp2Box("colr", append([]byte{1, 0, 0}, binary.BigEndian.AppendUint32(nil, uint32(space))...))
	for _, m := range more {
		head = append(head, m...)
	}
	b = append(b, jp2Box("xml ", []byte("<a/>"))...)
	b = append(b, jp2Box("jp2h", head)...)
	return append(b, jp2Box("jp2c", stream)...)
}

func jp2Box(kind string, body []byte) []byte {
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
}
