package table

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// Packers returns the text of packers.go for the package in dir. A packer is a kernel with a function that returns the
// size of its result: PackB32 with PackB32Size, which is also that of PackB32T. A maker is a function that returns a
// slice, made of one with the name packed.
func Packers(dir string) ([]byte, error) {
	files, err := parse(dir)
	if err != nil {
		return nil, err
	}
	funcs := map[string]*ast.FuncDecl{}
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() {
				funcs[fn.Name.Name] = fn
			}
		}
	}
	names := slices.Sorted(maps.Keys(funcs))
	var b bytes.Buffer
	b.WriteString(header + "import (\n\t\"github.com/bbgen/bbgen/runtime/cpu\"\n\t\"github.com/bbgen/bbgen/runtime/tensor\"\n)\n\n")
	b.WriteString("// packers convert a constant operand into the layout that a kernel reads.\nvar packers = map[string]packer{\n")
	for _, name := range names {
		if size := sizeOf(funcs, name); size != nil {
			emitPacker(&b, funcs[name], size)
		}
	}
	b.WriteString("}\n\n// makers derive data from packed operands.\nvar makers = map[string]packer{\n")
	for _, name := range names {
		if isMaker(funcs[name]) {
			emitMaker(&b, funcs[name])
		}
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

// sizeOf returns the function for the size of what a packer writes, or nil for other functions.
func sizeOf(funcs map[string]*ast.FuncDecl, name string) *ast.FuncDecl {
	if !strings.HasPrefix(name, "Pack") || strings.HasSuffix(name, "Size") {
		return nil
	}
	if size := funcs[name+"Size"]; size != nil {
		return size
	}
	return funcs[strings.TrimSuffix(name, "T")+"Size"]
}

// isMaker reports whether a function makes a slice of packed data.
func isMaker(fn *ast.FuncDecl) bool {
	p, res := fn.Type.Params.List, fn.Type.Results
	if len(p) == 0 || len(p[0].Names) == 0 || p[0].Names[0].Name != "packed" || res == nil || len(res.List) != 1 {
		return false
	}
	_, slice := res.List[0].Type.(*ast.ArrayType)
	return slice
}

func emitPacker(b *bytes.Buffer, fn, size *ast.FuncDecl) {
	p := params(fn)
	fmt.Fprintf(b, "\t%q: func(t *tensor.Tensor, d []int) *tensor.Tensor {\n", fn.Name.Name)
	fmt.Fprintf(b, "\t\tdst := make(%s, cpu.%s(%s))\n", types.ExprString(p[0]), size.Name.Name, ints(params(size)))
	fmt.Fprintf(b, "\t\tcpu.%s(dst, tensor.Data[%s](t), %s)\n", fn.Name.Name, element(p[1]), ints(p[2:]))
	b.WriteString("\t\treturn tensor.Of(dst, len(dst))\n\t},\n")
}

func emitMaker(b *bytes.Buffer, fn *ast.FuncDecl) {
	p := params(fn)
	fmt.Fprintf(b, "\t%q: func(t *tensor.Tensor, d []int) *tensor.Tensor {\n", fn.Name.Name)
	fmt.Fprintf(b, "\t\tdst := cpu.%s(tensor.Data[%s](t), %s)\n", fn.Name.Name, element(p[0]), ints(p[1:]))
	b.WriteString("\t\treturn tensor.Of(dst, len(dst))\n\t},\n")
}

// params returns the types of a function's parameters.
func params(fn *ast.FuncDecl) (out []ast.Expr) {
	for _, f := range fn.Type.Params.List {
		for range f.Names {
			out = append(out, f.Type)
		}
	}
	return out
}

func element(slice ast.Expr) string { return types.ExprString(slice.(*ast.ArrayType).Elt) }

// ints returns the arguments for parameters that are whole numbers: d[0], d[1], and d[2:]... for a variadic one.
func ints(params []ast.Expr) string {
	args := make([]string, len(params))
	for i, p := range params {
		args[i] = fmt.Sprintf("d[%d]", i)
		if _, variadic := p.(*ast.Ellipsis); variadic {
			args[i] = fmt.Sprintf("d[%d:]...", i)
		}
	}
	return strings.Join(args, ", ")
}
