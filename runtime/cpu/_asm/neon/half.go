package main

// halves writes the conversions between float32 and types of 16 bits, for a multiple of four elements.
func halves(f *file) {
	convert(f, "fromF16NEON", "(dst *float32, x *uint16, n int)", 8, 16, func() {
		f.word(0x0E217800, "FCVTL.4S V0, V0")
	})
	convert(f, "fromBF16NEON", "(dst *float32, x *uint16, n int)", 8, 16, func() {
		f.word(0x2E613800, "SHLL.4S $16, V0, V0")
	})
	convert(f, "toF16NEON", "(dst *uint16, x *float32, n int)", 16, 8, func() {
		f.word(0x0E216800, "FCVTN.4H V0, V0")
	})
}

// convert writes a loop that reads and writes so many bytes at a time.
func convert(f *file, name, signature string, in, out int, one func()) {
	moves := map[int]string{8: "FMOVD", 16: "FMOVQ"}
	f.text(name, signature, 24)
	f.line("MOVD dst+0(FP), R0")
	f.line("MOVD x+8(FP), R1")
	f.line("MOVD n+16(FP), R2")
	f.label("four")
	f.line("SUBS $4, R2")
	f.line("BLT end")
	f.line("%s.P %d(R1), F0", moves[in], in)
	one()
	f.line("%s.P F0, %d(R0)", moves[out], out)
	f.line("B four")
	f.label("end")
	f.line("RET")
}
