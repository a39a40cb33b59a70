//go:build !purego

package cpu

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// dotLine is an instruction as bytes, and in its comment as text.
var dotLine = regexp.MustCompile(`(?m)^\t(BYTE .*\$0x50; .*) // (VPDPBUSD [XY].*)$`)

// vnni256Files are the files of kernels for AVX-VNNI.
var vnni256Files = []string{"int8_amd64.s", "nbits_amd64.s"}

// The bytes of each VPDPBUSD are what the comment says. Decoding is not the inverse of the generator's code, but what the
// manual of the instruction says of each bit.
func TestDotBytesAreWhatTheySay(t *testing.T) {
	for _, file := range vnni256Files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Skip("a test binary on its own: ", err)
		}
		lines := dotLine.FindAllStringSubmatch(string(src), -1)
		if n := strings.Count(string(src), "BYTE "); n == 0 || n != 5*len(lines) {
			t.Errorf("%s: got %d bytes and %d instructions of five", file, n, len(lines))
		}
		for _, l := range lines {
			if got := decodeDot(encodedBytes(t, strings.Join(strings.Fields(l[1]), " "))); got != l[2] {
				t.Errorf("%s: %s: got %s, want %s", file, l[1], got, l[2])
			}
		}
	}
}

// decodeDot returns the text of VEX.66.0F38.W0 50 /r with three registers.
func decodeDot(b []byte) string {
	f := strings.Fields(strings.Trim(fmt.Sprintf("%08b", b[1:]), "[]")) // RXBmmmmm WvvvvLpp opcode 11rrrbbb
	number := func(bits string, inverted bool) (n int) {
		for _, c := range bits {
			n = 2*n + int(c-'0')
		}
		if inverted {
			n = 1<<len(bits) - 1 - n
		}
		return n
	}
	if b[0] != 0xc4 || f[0][3:] != "00010" || f[1][:1] != "0" || f[1][6:] != "01" || f[3][:2] != "11" {
		return "not VEX.66.0F38.W0 with registers"
	}
	v := map[byte]string{'0': "X", '1': "Y"}[f[1][5]]
	reg := number(f[0][:1], true)*8 + number(f[3][2:5], false)
	rm := number(f[0][2:3], true)*8 + number(f[3][5:], false)
	return fmt.Sprintf("VPDPBUSD %s%d, %s%d, %s%d", v, rm, v, number(f[1][1:5], true), v, reg)
}

// testsOfVNNI256 are tests of everything that its kernels compute.
const testsOfVNNI256 = "^(TestMatMulIntegerSizes|TestQMatMul|TestByteConvolutions|TestMatMulNBitsInt8.*|TestVNNI256IsSelected)$"

// Kernels for AVX-VNNI have right results. Processors with AVX-512 that lack it have the same instruction in EVEX: there the
// tests run with that encoding.
func TestVNNI256ByEVEX(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the package")
	}
	if hasVNNI256 || !hasVNNI {
		t.Skip("the processor has AVX-VNNI, or no VNNI at all")
	}
	dir, replace := t.TempDir(), map[string]string{}
	overlay := func(file string, edit func(src string) string) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Skip("a test binary on its own: ", err)
		}
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = filepath.Join(dir, file)
		edited := edit(string(src))
		if edited == string(src) {
			t.Fatalf("%s: found nothing to replace", file)
		}
		if err := os.WriteFile(replace[path], []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range vnni256Files {
		overlay(file, func(src string) string { return dotLine.ReplaceAllString(src, "\t$2") })
	}
	overlay("level_amd64.go", func(src string) string {
		return strings.Replace(src, "&cpu.X86.HasAVXVNNI", "&cpu.X86.HasAVX512VNNI", 1)
	})
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, list, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-vet=off", "-count=1", "-v", "-overlay", name, "-run", testsOfVNNI256, ".")
	cmd.Env = append(os.Environ(), "BBGEN_CPU=avx2")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	for _, want := range []string{"--- PASS: TestVNNI256IsSelected", "--- PASS: TestMatMulIntegerSizes/", "--- PASS: TestMatMulNBitsInt8/avx2"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("got no %q in\n%s", want, out)
		}
	}
}

// A processor with AVX-VNNI uses it at level AVX2.
func TestVNNI256IsSelected(t *testing.T) {
	if !hasVNNI256 {
		t.Skip("the processor has no AVX-VNNI")
	}
	defer SetLevel(SetLevel(AVX2))
	if rows, unit := byteRows(256), byteUnit(1); rows != 3 || unit != 2 {
		t.Errorf("got tiles of %d rows, and of one row %d panels, want 3 and 2", rows, unit)
	}
}

// A processor may have AVX2 alone: results are the same.
func TestAVX2WithoutVNNI256(t *testing.T) {
	if !hasVNNI256 {
		t.Skip("the processor has no AVX-VNNI, so other tests cover it")
	}
	defer func() { hasVNNI256 = true }()
	hasVNNI256 = false
	defer SetLevel(SetLevel(AVX2))
	t.Run("MatMulInteger", TestMatMulIntegerSizes)
	t.Run("QMatMul", TestQMatMul)
	t.Run("convolutions", TestByteConvolutions)
	t.Run("MatMulNBits", TestMatMulNBitsInt8)
}

// BenchmarkVNNI256 times pairs of the same product with AVX2 alone and with AVX-VNNI, by turns, on one thread.
func BenchmarkVNNI256(b *testing.B) {
	if !hasVNNI256 {
		b.Skip("the processor has no AVX-VNNI")
	}
	defer SetThreads(Threads())
	SetThreads(1)
	defer SetLevel(SetLevel(AVX2))
	for _, c := range vnni256Cases() {
		for _, with := range []bool{false, true} {
			name := map[bool]string{false: "avx2", true: "vnni256"}[with]
			b.Run(c.name+"/"+name, func(b *testing.B) {
				defer func(old bool) { hasVNNI256 = old }(hasVNNI256)
				hasVNNI256 = with
				for b.Loop() {
					c.run()
				}
				b.ReportMetric(float64(2*c.products)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GOPS")
			})
		}
	}
}

// vnni256Case is a computation and its number of products.
type vnni256Case struct {
	name     string
	products int
	run      func()
}

// vnni256Cases are products, products with weights of a few bits, and filters of one channel each.
func vnni256Cases() (all []vnni256Case) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{1, 1024, 1024}, {2, 1024, 1024}, {64, 768, 768}, {196, 256, 64}, {512, 512, 512}} {
		m, k, n := s[0], s[1], s[2]
		x, packed, dst := randomInt8s[uint8](r, m*k), make([]int8, PackB8Size(k, n)), make([]int32, m*n)
		PackB8(packed, randomInt8s[int8](r, k*n), k, n)
		all = append(all, vnni256Case{fmt.Sprintf("product-%dx%dx%d", m, k, n), m * k * n, func() {
			MatMulIntegerPacked(dst, x, packed, nil, nil, m, k, n)
		}})
	}
	for _, s := range [][3]int{{4, 1, 2048}, {4, 2, 2048}, {4, 4, 2048}, {4, 64, 2048}, {8, 1, 2048}, {8, 64, 2048}} {
		const block = 32
		bits, m, k := s[0], s[1], s[2]
		w, scales := asBytes(randomInt8s[uint8](r, PackNBitsSize(k, k, bits))), make([]float32, PackB32Size(k/block, k))
		x, dst := gaussians[float32](m*k), make([]float32, m*k)
		all = append(all, vnni256Case{fmt.Sprintf("nbits%d-%dx%dx%d", bits, m, k, k), m * k * k, func() {
			MatMulNBitsInt8(dst, x, w, scales, nil, nil, NBitsShape{M: m, K: k, N: k, Block: block, Bits: bits})
		}})
	}
	for _, channels := range []int{16, 96} {
		const size, taps = 56, 9
		packed, totals := make([]int8, PackDepth8Size(channels, taps)), make([]int32, channels)
		PackDepth8(packed, randomInt8s[int8](r, channels*taps), channels, taps)
		x, dst := randomInt8s[uint8](r, channels*size*size), make([]int32, channels*size*size)
		win := Window{In: []int{size, size}, Out: []int{size, size}, Kernel: []int{3, 3}, Stride: []int{1, 1}, Dilation: []int{1, 1}, Pad: []int{1, 1}}
		all = append(all, vnni256Case{fmt.Sprintf("depthwise3x3-%d", channels), taps * len(dst), func() {
			DepthwiseInteger(dst, x, packed, totals, nil, DepthwiseShape{Images: 1, Channels: channels, Window: win})
		}})
	}
	return all
}
