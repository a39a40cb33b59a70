package isa

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAssemble: each instruction of a file has its own bytes; bytes that stand on one line are one instruction.
func TestAssemble(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x_amd64.s")
	write := func(body string) {
		text := "#include \"textflag.h\"\n\n" + body
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(`DATA words<>+0(SB)/8, $7
GLOBL words<>(SB), RODATA, $8

TEXT ·first(SB), NOSPLIT, $0-8
	MOVQ x+0(FP), AX
	BYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0xc0
	RET

TEXT ·second(SB), NOSPLIT, $0
	VADDPS Y1, Y2, Y3
	RET
`)
	list, err := Assemble(file, dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range list {
		got = append(got, fmt.Sprintf("%s: %s % x", a.Kernel, strings.ReplaceAll(a.Text, "\t", " "), a.Bytes))
	}
	want := []string{
		"first: MOVQ x+8(FP), AX 48 8b 44 24 08", "first: BYTE c4 e2 78 49 c0", "first: RET c3",
		"second: VADDPS Y1, Y2, Y3 c5 ec 58 d9", "second: RET c3",
	}
	for i := range got {
		got[i] = strings.Join(strings.Fields(got[i]), " ")
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	write("TEXT ·first(SB), NOSPLIT, $0\n\tNOSUCH AX\n")
	if _, err := Assemble(file, dir); err == nil || !strings.Contains(err.Error(), "NOSUCH") {
		t.Errorf("an instruction that there is not: %v", err)
	}
}

// TestListing: a line that is not understood is an error with its function, as a kernel would go unchecked.
func TestListing(t *testing.T) {
	for _, line := range []string{"\t0xzz 00000 (x.s:1)\tRET\n", "\t0x0000 zz\n"} {
		if _, err := parseListing("p.f STEXT size=1\n" + line); err == nil || !strings.HasPrefix(err.Error(), "listing of f: ") {
			t.Errorf("%q: got %v", line, err)
		}
	}
}
