package isa

import (
	"fmt"
	"strings"
	"testing"
)

// Each row is an instruction, its bytes, and the extensions that it needs.
func TestExtensions(t *testing.T) {
	for _, c := range []struct {
		text, hex, want string
	}{
		{"ADDQ AX, BX", "48 01 c3", ""},
		{"CRC32Q (SP), AX", "f2 48 0f 38 f1 04 24", "SSE4.2"},
		{"BZHIL AX, BX, CX", "c4 e2 78 f5 cb", "BMI2"},
		{"VADDPS Y1, Y2, Y3", "c5 ec 58 d9", "AVX"},
		{"VADDPS Y9, Y2, Y3", "c4 c1 6c 58 d9", "AVX"},
		{"VADDPS Y16, Y2, Y3", "62 b1 6c 28 58 d8", "AVX512F AVX512VL"},
		{"VADDPS X1, X2, K1, X3", "62 f1 6c 09 58 d9", "AVX512F AVX512VL"},
		{"VADDPS Z1, Z2, Z3", "62 f1 6c 48 58 d9", "AVX512F"},
		{"VADDPS.RN_SAE Z1, Z2, Z3", "62 f1 6c 18 58 d9", "AVX512F"},
		{"VFMADD231PS.BCST (AX), Z2, Z3", "62 f2 6d 58 b8 18", "AVX512F"},
		{"VFMADD231PS (AX), Y2, Y3", "c4 e2 6d b8 18", "FMA3"},
		{"VPADDD X1, X2, X3", "c5 e9 fe d9", "AVX"},
		{"VPADDD Y1, Y2, Y3", "c5 ed fe d9", "AVX2"},
		{"VPSLLD $4, Y1, Y2", "c5 ed 72 f1 04", "AVX2"},
		{"VXORPS Z1, Z2, Z3", "62 f1 6c 48 57 d9", "AVX512DQ AVX512F"},
		{"VCVTPH2PS (AX), Y1", "c4 e2 7d 13 08", "F16C"},
		{"VPDPBUSD Y1, Y2, Y3", "62 f2 6d 28 50 d9", "AVX512F AVX512VL AVX512VNNI"},
		{"KMOVW AX, K1", "c5 f8 92 c8", "AVX512F"},
		{"KMOVQ AX, K1", "c4 e1 fb 92 c8", "AVX512BW"},
	} {
		got, err := OfText(c.text)
		if fmt.Sprint(got, err) != fmt.Sprintf("[%s] <nil>", c.want) {
			t.Errorf("%s: got %v %v, want %s", c.text, got, err, c.want)
		}
		var b []byte
		fmt.Sscanf(strings.ReplaceAll(c.hex, " ", ""), "%x", &b)
		name, got, err := OfBytes(b)
		if fmt.Sprint(got, err) != fmt.Sprintf("[%s] <nil>", c.want) {
			t.Errorf("% x: got %v %v, want %s", b, got, err, c.want)
		}
		if c.want != "" && !strings.HasPrefix(c.text, name) {
			t.Errorf("% x: got %s, want %s", b, name, c.text)
		}
	}
}

// Go's assembler supports neither tiles nor products of bytes in VEX: these instructions are bytes on a line.
func TestEncoded(t *testing.T) {
	for _, c := range []struct{ bytes, name, want string }{
		{"c4 e2 78 49 40 00", "LDTILECFG", "AMXTILE"},
		{"c4 e2 7b 49 c8", "TILEZERO", "AMXTILE"},
		{"c4 a2 7b 4b 74 2f 00", "TILELOADD", "AMXTILE"},
		{"c4 82 7a 4b 5c 08 40", "TILESTORED", "AMXTILE"},
		{"c4 e2 49 5e d5", "TDPBUSD", "AMXINT8"},
		{"c4 e2 4a 5c d5", "TDPBF16PS", "AMXBF16"},
		{"c4 c2 35 50 cb", "{vex}VPDPBUSD", "AVXVNNI"},
		{"c4 62 19 50 c1", "{vex}VPDPBUSD", "AVXVNNI"},
	} {
		var b []byte
		fmt.Sscanf(strings.ReplaceAll(c.bytes, " ", ""), "%x", &b)
		name, got, err := OfBytes(b)
		if name != c.name || fmt.Sprint(got, err) != fmt.Sprintf("[%s] <nil>", c.want) {
			t.Errorf("% x: got %s %v %v, want %s of %s", b, name, got, err, c.name, c.want)
		}
		line := "BYTE $0x" + strings.ReplaceAll(c.bytes, " ", "; BYTE $0x")
		if got, err := OfText(line); fmt.Sprint(got, err) != fmt.Sprintf("[%s] <nil>", c.want) {
			t.Errorf("%s: got %v %v, want %s", line, got, err, c.want)
		}
	}
	for _, line := range []string{"BYTE $0xc4; RET", "BYTE $300", "BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x5e; BYTE $0xc0", "BYTE $0xc4; BYTE $0xe2; BYTE $0xb5; BYTE $0x50; BYTE $0xc0"} {
		if got, err := OfText(line); err == nil {
			t.Errorf("%s: got %v, want an error", line, got)
		}
	}
}

// Instructions that are not in the table are rejected.
func TestUnknownInstructions(t *testing.T) {
	for _, text := range []string{"POPCNTQ AX, BX", "VMOVDQU Z1, (AX)", "VEXTRACTF128 $1, Y17, X1", "VADDSS X16, X1, X2", "VPERMPS X1, X2, X3", "VADDPH Z1, Z2, Z3"} {
		if got, err := OfText(text); err == nil {
			t.Errorf("%s: got %v, want an error", text, got)
		}
	}
	for _, b := range [][]byte{
		{},
		{0xf3, 0x48, 0x0f, 0xb8, 0xc0}, // POPCNTQ
		{0xf3, 0x48, 0x0f, 0xbc, 0xc0}, // TZCNTQ, which older processors execute as BSFQ
		{0x66, 0x0f, 0x38, 0x00, 0xc1}, // PSHUFB
		{0x66, 0x0f, 0x3a, 0x0f, 0xc1}, // PALIGNR
		{0xc4, 0xe2, 0xed, 0x98, 0xd9}, // VFMADD132PD
		{0x62, 0xf5, 0x6c, 0x48, 0x58}, // VADDPH, of a map that VEX does not have
	} {
		if name, got, err := OfBytes(b); err == nil {
			t.Errorf("% x: got %s %v, want an error", b, name, got)
		}
	}
}

func TestKernels(t *testing.T) {
	ks, err := Kernels("#include \"textflag.h\"\n\n// func a()\nTEXT ·a(SB), NOSPLIT, $0-8\nloop:\n\tDECQ AX // down\n\tJNZ  loop\n\tRET\n\nDATA x<>+0(SB)/4, $1\nTEXT ·b(SB), NOSPLIT, $0\n\tRET\n")
	want := "[{a [{6 DECQ AX} {7 JNZ  loop} {8 RET}]} {b [{12 RET}]}] <nil>"
	if got := fmt.Sprint(ks, err); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, src := range []string{"#define x VADDPS\n", "TEXT ·a(SB), NOSPLIT, $0\n\tINCQ AX; INCQ BX\n", "\tRET\n"} {
		if ks, err := Kernels(src); err == nil {
			t.Errorf("%q: got %v, want an error", src, ks)
		}
	}
}
