// Package kernels writes the Go side of assembly for amd64, FILE_kernels_amd64.go beside FILE_amd64.s: the declarations of
// kernels, the choice between those of a family, and a check of the offsets of fields. So a kernel is declared in one
// place, where its instructions are. Names say what a kernel is for (package level): vecAddAVX2 needs AVX2, and
// tile6x16AVX2 computes six rows and sixteen columns.
package kernels

import (
	"flag"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/level"
	"github.com/bbgen/bbgen/runtime/cpu/_asm/vex"
)

// Begin prepares avo's context for the kernels of a file.
func Begin() {
	level.Enforce()
	build.ConstraintExpr("!purego")
	pass.Compile = pass.Concat(pass.FunctionPass(sign), pass.Compile, pass.FunctionPass(vex.Encode), pass.FunctionPass(hide), pass.Func(write))
}

// In says the name of the package that the kernels belong to, if it is not cpu.
func In(name string) { home = name }

var home = "cpu"

// Text begins a kernel with pointers to types of package cpu, which avo's context does not know: there they are *byte.
func Text(name, signature string) {
	build.TEXT(name, attr.NOSPLIT, pointer.ReplaceAllString(signature, "*byte"))
	signatures[name] = typeOf(signature).(*types.Signature)
}

// Part begins code that ends kernels, which jump to it with [GoTo]. Go does not call it, so only this file knows it.
func Part(name, signature string) {
	Text(name, signature)
	parts[name] = true
}

// GoTo ends a kernel with a jump to a part that has the same signature and reads these registers.
func GoTo(name string, regs []reg.Register) {
	var in []operand.Op
	for _, r := range regs {
		in = append(in, r)
	}
	to := operand.NewDataAddr(operand.NewStaticSymbol("·"+name), 0)
	// With an operand, RET frees the frame and jumps.
	build.Instruction(&ir.Instruction{Opcode: "RET", Operands: []operand.Op{to}, Inputs: in, IsTerminal: true})
}

// Variant begins the kernel of a level that does what the function nameGo of package cpu does, with the same arguments. The
// function name chooses between the variants and nameGo. If a kernel needs other arguments, or can do a part only, begin it
// with [AtLevel].
func Variant(name, level, signature string) {
	variants[name+level] = name
	Text(name+level, signature)
}

// AtLevel begins the kernel of a level that code by hand calls through the function nameAtLevel, after it has prepared the
// arguments. That function calls the level's kernel, and reports whether there is one. A kernel that is chosen by more than
// the level begins with [Text].
func AtLevel(name, level, signature string) {
	atLevel[name+level] = name
	Text(name+level, signature)
}

var (
	atLevel    = map[string]string{} // by the names of kernels
	variants   = map[string]string{} // by the names of kernels
	parts      = map[string]bool{}
	pointer    = regexp.MustCompile(`\*\w+(\[\w+\])?`)
	signatures = map[string]*types.Signature{}
)

// sign gives a kernel the signature of [Text].
func sign(f *ir.Function) error {
	if s := signatures[f.Name]; s != nil {
		f.SetSignature(gotypes.NewSignature(cpu(), s))
	}
	return nil
}

// local is the end of names that other files do not know.
const local = "<>"

// hide makes a part local.
func hide(f *ir.Function) error {
	if parts[f.Name] {
		f.Name += local
	}
	return nil
}

// write writes the Go file beside the assembly.
func write(f *ir.File) error {
	for _, fn := range f.Functions() {
		if strings.HasSuffix(fn.Name, local) {
			continue
		}
		declared = append(declared, kernel{fn.Name, fn.Doc, typeOf("func" + fn.Signature.String()).(*types.Signature)})
	}
	return WriteGo()
}

// Declare adds a kernel that avo does not write to the Go file.
func Declare(name, signature string) {
	declared = append(declared, kernel{name: name, sig: typeOf(signature).(*types.Signature)})
}

// declared is the kernels of the Go file.
var declared []kernel

// Out returns the assembly's file, which avo's flag of this name says.
func Out() string { return flag.Lookup("out").Value.String() }

// WriteGo writes the Go file beside the assembly. Programs that use avo need not call it.
func WriteGo() error {
	name, ok := strings.CutSuffix(Out(), "_amd64.s")
	if !ok {
		return nil // the assembly goes to the terminal
	}
	src, err := source(filepath.Base(name), declared)
	if err != nil {
		return err
	}
	return os.WriteFile(name+"_kernels_amd64.go", src, 0o644)
}
