package level

import (
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/vex"
)

// TestKernelsBeyondTheirLevel checks that a kernel with instructions above its level is refused.
func TestKernelsBeyondTheirLevel(t *testing.T) {
	for _, c := range []struct {
		kernel string
		body   func(c *build.Context)
		want   string // a part of the error, "" for none
	}{
		{"sumAVX2", vectors(16), ""},
		{"sumAVX2", vectors(17), "sumAVX2: VMOVUPS (AX) Y16 needs AVX512F"},
		{"sumAVX512", vectors(17), ""},
		{"sum", vectors(1), "needs AVX"},
		{"roundAVX2", func(c *build.Context) { c.VCVTPH2PS(c.XMM(), c.YMM()) }, ""},
		{"indexAVX2", func(c *build.Context) { c.BZHIL(c.GP32(), c.GP32(), c.GP32()) }, "needs BMI2"},
		{"indexAVX512", func(c *build.Context) { c.BZHIL(c.GP32(), c.GP32(), c.GP32()) }, ""},
		{"maskAVX2", func(c *build.Context) { c.VADDPS(c.YMM(), c.YMM(), c.K(), c.YMM()) }, "needs AVX512"},
		{"dotAVX512", dot, "needs AVX512VNNI"},
		{"dotVNNI", dot, ""},
		{"dotVNNI", dotVEX, "needs AVXVNNI"},
		{"dotVNNI256", dot, "needs AVX512"},
		{"dotVNNI256", dotVEX, ""},
		{"foldVPCLMUL", func(c *build.Context) { c.CRC32Q(c.GP64(), c.GP64()) }, ""},
		{"fold", func(c *build.Context) { c.CRC32Q(c.GP64(), c.GP64()) }, "needs SSE4.2"},
	} {
		ctx := build.NewContext()
		ctx.Function(c.kernel)
		ctx.SignatureExpr("func()")
		c.body(ctx)
		ctx.RET()
		f, err := ctx.Result()
		if err != nil {
			t.Fatal(err)
		}
		err = pass.Concat(pass.Compile, pass.FunctionPass(check)).Execute(f)
		if got := complaint(err); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q in it", c.kernel, got, c.want)
		}
	}
}

func complaint(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// vectors adds n registers that are all read at the end.
func vectors(n int) func(c *build.Context) {
	return func(c *build.Context) {
		vs := make([]reg.VecVirtual, n)
		for i := range vs {
			vs[i] = c.YMM()
			c.VMOVUPS(operand.Mem{Base: reg.RAX}, vs[i])
		}
		for _, v := range vs {
			c.VADDPS(v, vs[0], vs[0])
		}
		c.VMOVUPS(vs[0], operand.Mem{Base: reg.RAX})
	}
}

func dotVEX(c *build.Context) {
	c.Instruction(vex.Dot(c.YMM(), c.YMM(), c.YMM()))
}

func dot(c *build.Context) { c.VPDPBUSD(c.ZMM(), c.ZMM(), c.ZMM()) }
