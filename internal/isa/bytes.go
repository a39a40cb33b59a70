package isa

import (
	"fmt"
	"slices"
)

// encoding holds the decoded prefix and opcode of an instruction.
type encoding struct {
	space         string // "legacy", "VEX" or "EVEX"
	prefix, opmap string // as in 66.0F38; of legacy instructions, "" is the map of single bytes
	w             int
	bits          int
	opcode        byte
	modRM         byte // follows the opcode; 0 if there is none
}

// OfBytes returns the extensions that an instruction needs, by its bytes, and its name if they are those of a vector
// instruction.
func OfBytes(b []byte) (name string, extensions []string, err error) {
	e, err := decode(b)
	if err != nil {
		return "", nil, fmt.Errorf("% x: %w", b, err)
	}
	if e.space == "legacy" && e.everyAMD64() {
		return "", nil, nil
	}
	for _, r := range table {
		if es := r.match(e); es != nil {
			return r.name, es, nil
		}
	}
	return "", nil, fmt.Errorf("% x: instructions.txt has no encoding %s.%s.%s.W%d %02X of %d bits", b, e.space, e.prefix, e.opmap, e.w, e.opcode, e.bits)
}

// everyAMD64 reports whether the baseline of amd64 has an instruction without VEX or EVEX. Later instructions
// are in maps of their own, except POPCNT, TZCNT and LZCNT.
func (e encoding) everyAMD64() bool {
	switch e.opmap {
	case "":
		return true
	case "0F":
		return e.prefix != "F3" || e.opcode != 0xb8 && e.opcode != 0xbc && e.opcode != 0xbd
	}
	return false
}

// match returns the extensions of the form that e encodes, or nil if e does not encode r.
func (r row) match(e encoding) []string {
	if r.baseline() || r.prefix != e.prefix || r.opmap != e.opmap || !r.hasOpcode(e.opcode, int(e.modRM>>3&7)) {
		return nil
	}
	form, w := "", r.w
	switch {
	case e.space == "legacy":
		form = r.legacy
	case e.space == "EVEX":
		form, w = r.evex, r.evexW
	case e.bits == 256:
		form = r.ymm
	default:
		form = r.xmm
	}
	switch {
	case form == "", w == "W0" && e.w != 0, w == "W1" && e.w != 1:
		return nil
	case e.space == "EVEX":
		return evexExtensions(form, e.bits)
	}
	return []string{form}
}

func (r row) hasOpcode(code byte, digit int) bool {
	return slices.ContainsFunc(r.opcodes, func(o opcode) bool { return o.code == code && (o.digit < 0 || o.digit == digit) })
}

var (
	prefixes = [...]string{"NP", "66", "F3", "F2"}
	opmaps   = [...]string{1: "0F", 2: "0F38", 3: "0F3A"}
)

func decode(b []byte) (encoding, error) {
	const longest = 15
	padded := append(slices.Clone(b[:min(len(b), longest)]), make([]byte, 8)...) // so that reads beyond the end are valid
	switch {
	case len(b) == 0 || len(b) > longest:
		return encoding{}, fmt.Errorf("got %d bytes, want those of one instruction", len(b))
	case b[0] == 0x62:
		return decodeEVEX(padded)
	case b[0] == 0xc4:
		return decodeVEX(padded[1:], padded[2], int(padded[1]&0x1f))
	case b[0] == 0xc5:
		e, err := decodeVEX(padded, padded[1], 1)
		e.w = 0 // W is a part of R here
		return e, err
	}
	return decodeLegacy(padded), nil
}

// decodeEVEX reads P0: RXBR'0mmm, P1: Wvvvv1pp, P2: zL'LbV'aaa. With b and two registers, L'L is a mode of rounding.
func decodeEVEX(b []byte) (encoding, error) {
	e := encoding{space: "EVEX", prefix: prefixes[b[2]&3], w: int(b[2] >> 7), bits: 128 << (b[3] >> 5 & 3), opcode: b[4], modRM: b[5]}
	if rounding := b[3]&0x10 != 0 && e.modRM >= 0xc0; rounding {
		e.bits = 512
	}
	err := e.setMap(int(b[1] & 7))
	return e, err
}

// decodeVEX reads last: WvvvvLpp, which an opcode follows in b[2].
func decodeVEX(b []byte, last byte, opmap int) (encoding, error) {
	e := encoding{space: "VEX", prefix: prefixes[last&3], w: int(last >> 7), bits: 128 << (last >> 2 & 1), opcode: b[2], modRM: b[3]}
	err := e.setMap(opmap)
	return e, err
}

func (e *encoding) setMap(i int) error {
	if i == 0 || i >= len(opmaps) {
		return fmt.Errorf("map %d of %s is unknown", i, e.space)
	}
	e.opmap = opmaps[i]
	return nil
}

// decodeLegacy skips prefixes, of which REX is the last.
func decodeLegacy(b []byte) encoding {
	e := encoding{space: "legacy", prefix: "NP"}
	for ; ; b = b[1:] {
		switch c := b[0]; {
		case c == 0x66 && e.prefix == "NP":
			e.prefix = "66"
		case c == 0xf3:
			e.prefix = "F3"
		case c == 0xf2:
			e.prefix = "F2"
		case c&0xf0 == 0x40:
			e.w = int(c >> 3 & 1)
		default:
			e.readOpcode(b)
			return e
		}
	}
}

func (e *encoding) readOpcode(b []byte) {
	switch {
	case b[0] != 0x0f:
	case b[1] == 0x38:
		e.opmap, b = "0F38", b[2:]
	case b[1] == 0x3a:
		e.opmap, b = "0F3A", b[2:]
	default:
		e.opmap, b = "0F", b[1:]
	}
	e.opcode, e.modRM = b[0], b[1]
}
