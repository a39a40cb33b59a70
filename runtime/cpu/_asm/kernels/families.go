package kernels

import (
	"bytes"
	"fmt"
	"go/types"
	"log"
	"regexp"
	"slices"
	"strconv"
)

// A family is kernels that differ in one respect. A function chooses one of them.
type family interface{ write(b *bytes.Buffer) }

// families returns the families of a list of kernels, in its order.
func families(list []kernel) (all []family) {
	seen := map[string]bool{}
	for _, k := range list {
		f := rowsOf(k, list)
		if f == nil {
			f = levelsOf(k, list)
		}
		if f != nil && !seen[fmt.Sprint(f)] {
			seen[fmt.Sprint(f)] = true
			all = append(all, f)
		}
	}
	return all
}

// levels is the kernels of all levels that do the same, whose parameters they have.
type levels struct {
	name   string
	params string
	args   string
	result bool
	twin   bool     // the Go function has the same parameters: there is an implementation at every level
	of     []string // levels, the highest first
}

// levelsOf returns the family of a [Variant] or of a kernel [AtLevel], or nil for another kernel.
func levelsOf(k kernel, list []kernel) family {
	name, among := variants[k.name], variants
	if name == "" {
		name, among = atLevel[k.name], atLevel
	}
	if name == "" {
		return nil
	}
	f := levels{name: name, params: signature(k.sig), args: arguments(k.sig), result: k.sig.Results().Len() > 0}
	if f.twin = variants[k.name] != ""; f.twin {
		twin, _ := cpu().Scope().Lookup(name + "Go").(*types.Func)
		if twin == nil || !types.Identical(twin.Type(), k.sig) {
			log.Fatalf("%s: package cpu has no function %sGo%s", k.name, name, signature(k.sig))
		}
	} else if f.result {
		log.Fatalf("%s: a kernel that has a result is a Variant", k.name)
	}
	for _, other := range list {
		if among[other.name] == name {
			if !types.Identical(other.sig, k.sig) {
				log.Fatalf("%s and %s have other parameters", k.name, other.name)
			}
			f.of = append(f.of, other.name[len(name):])
		}
	}
	return &f
}

func (f *levels) write(b *bytes.Buffer) {
	if f.twin {
		f.writeVariants(b)
		return
	}
	fmt.Fprintf(b, "\n// %sAtLevel runs the kernel of the level, and reports whether there is one.\n", f.name)
	fmt.Fprintf(b, "func %sAtLevel%s bool {\nswitch level {\n", f.name, f.params)
	for _, l := range f.of {
		fmt.Fprintf(b, "case %s:\n%s%s(%s)\n", l, f.name, l, f.args)
	}
	b.WriteString("default:\nreturn false\n}\nreturn true\n}\n")
}

// writeVariants writes the choice between the kernels and Go.
func (f *levels) writeVariants(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n// %s is [%sGo].\nfunc %s%s {\nswitch level {\n", f.name, f.name, f.name, f.params)
	call := func(end string) {
		if f.result {
			b.WriteString("return ")
		}
		fmt.Fprintf(b, "%s%s(%s)\n", f.name, end, f.args)
	}
	for _, l := range f.of {
		fmt.Fprintf(b, "case %s:\n", l)
		call(l)
	}
	if f.result {
		b.WriteString("}\n")
	} else {
		b.WriteString("default:\n")
	}
	call("Go")
	if !f.result {
		b.WriteString("}\n")
	}
	b.WriteString("}\n")
}

// rows is micro-kernels for different numbers of rows, and the same number of columns and level.
type rows struct {
	name string // with N for the number of rows
	arg  string // the type of the argument
	all  []rowsKernel
}

type rowsKernel struct {
	rows int
	name string
}

var micro = regexp.MustCompile(`^([a-zA-Z]*\d?[a-zA-Z]+)(\d+)(x\d+[A-Z].*)$`)

// rowsOf returns the family of a micro-kernel, or nil if there is one number of rows only.
func rowsOf(k kernel, list []kernel) family {
	m := micro.FindStringSubmatch(k.name)
	if m == nil {
		return nil
	}
	f := rows{name: m[1] + "N" + m[3], arg: types.TypeString(k.sig.Params().At(0).Type(), ourName)}
	for _, other := range list {
		if o := micro.FindStringSubmatch(other.name); o != nil && o[1] == m[1] && o[3] == m[3] {
			n, _ := strconv.Atoi(o[2])
			f.all = append(f.all, rowsKernel{n, other.name})
		}
	}
	if len(f.all) < 2 {
		return nil
	}
	slices.SortFunc(f.all, func(a, b rowsKernel) int { return a.rows - b.rows })
	return &f
}

func (f *rows) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n// %s runs the micro-kernel for N rows.\nfunc %s(t %s, n int) {\nswitch n {\n", f.name, f.name, f.arg)
	for _, k := range f.all {
		fmt.Fprintf(b, "case %d:\n%s(t)\n", k.rows, k.name)
	}
	fmt.Fprintf(b, "default:\npanic(\"BUG: there is no %s of so many rows\")\n}\n}\n", f.name)
}
