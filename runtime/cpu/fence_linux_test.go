package cpu

import (
	"bytes"
	"fmt"
	"math"
	"os"
	reflection "reflect" // the package has a function of that name
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// A fence runs kernels on slices that lie at the edge of their memory: the page behind the last byte, or the one before the
// first, is protected. A kernel that reads or writes outside of a slice causes a fault there, also if it ignores what it has
// read.
type fence struct {
	*testing.T
	rooms  []room          // of the present call
	atEnd  bool            // slices end at a protected page; otherwise they begin behind one
	faults map[string]bool // by kernel and level
	calls  map[string]int  // of each kernel
	whole  *bool           // see loadsWhole
}

// fenceShare is the number of calls of a kernel of which one is made: most sizes around vectors remain, as it is odd.
func fenceShare() int {
	if testing.Short() || fenceQuick {
		return 5
	}
	return 1
}

var fenceQuick bool

// room is the memory of a slice of the present call.
type room struct {
	name        string
	first, last uintptr // last is the first address behind it
	plot        []byte
}

// fenced runs f with three threads, whose faults become panics of the caller.
func fenced(t *testing.T, f func(f *fence)) {
	defer SetThreads(0)
	SetThreads(3)
	faults := func() { debug.SetPanicOnFault(true) } // applies to a single goroutine
	defer onTurn.Store(onTurn.Swap(&faults))
	f(&fence{T: t, faults: map[string]bool{}, calls: map[string]int{}})
}

// plots are the unused areas between two protected pages, by their number of pages. They are never unmapped: where a
// mapping was, the heap may grow, and the collector does not allow pointers to nothing there.
var plots = map[int][][]byte{}

// scratchMemory is an argument whose contents after the call do not matter.
type scratchMemory struct{ of any }

// run calls a kernel at every level with copies of all its slices beside protected pages, at either side, and compares what
// it leaves in them with what exact leaves, which is called once. The parameters of exact are those of the kernel, or have
// float64 in place of float32. Floats may differ by tol, relative to those above 1. The slices in args stay as they are.
func (f *fence) run(what string, tol float64, kernel, exact any, args ...any) {
	f.Helper()
	if f.calls[what]++; (f.calls[what]-1)%fenceShare() != 0 {
		return
	}
	want := apply(exact, args, deepCopy)
	defer SetLevel(level)
	for _, l := range Levels() {
		SetLevel(l)
		for _, f.atEnd = range []bool{true, false} {
			if l == Portable && !f.atEnd || l == AVX2 && f.atEnd && f.loadsWhole() { // Go checks bounds
				continue
			}
			at := fmt.Sprint(what, " at level ", l)
			if f.faults[at] { // one is enough
				continue
			}
			if fault := f.once(tol, kernel, want, args); fault != "" {
				f.faults[at] = true
				f.Errorf("%s%s, with slices at the end of their memory %v: %s", at, sizes(args), f.atEnd, fault)
			}
		}
	}
}

// loadsWhole reports whether AVX2's loads under a mask read elements outside of the mask as well. No processor does that, but
// qemu does. Two kernels that have nothing in common tell it: a fault of one of them remains a fault.
func (f *fence) loadsWhole() bool {
	if f.whole == nil {
		at := f.atEnd
		f.atEnd, f.whole = true, new(bool)
		x := []float32{1}
		floats := []reflection.Value{reflection.ValueOf([]float32{1}), reflection.ValueOf([]float32{1})}
		bytes := []reflection.Value{reflection.ValueOf([]uint8{1}), reflection.ValueOf([]float32{1})}
		*f.whole = f.once(0, VecRelu32, floats, []any{x, x}) != "" &&
			f.once(0, func(dst []uint8, x []float32) { Quantize(dst, x, x, nil) }, bytes, []any{[]uint8{0}, x}) != ""
		f.atEnd = at
	}
	return *f.whole
}

// once calls a kernel with copies of all slices beside protected pages, and describes a fault or a wrong result.
func (f *fence) once(tol float64, kernel any, want []reflection.Value, args []any) (fault string) {
	f.rooms = f.rooms[:0]
	var got []reflection.Value
	enclose := func(i int, v reflection.Value, as reflection.Type) reflection.Value {
		return rebuild(v, as, func(x reflection.Value, _ reflection.Type) reflection.Value {
			return f.place(fmt.Sprint("argument ", i), x)
		})
	}
	fault = f.guard(func() { got = apply(kernel, args, enclose) })
	if fault == "" {
		fault = difference(got, want, args, tol)
	}
	for _, r := range f.rooms {
		pages := len(r.plot) / os.Getpagesize()
		plots[pages] = append(plots[pages], r.plot)
	}
	return fault
}

// guard runs a function and describes a fault.
func (f *fence) guard(run func()) (fault string) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if p, ok := r.(*Panic); ok {
			r = p.Value
		}
		if r == nil {
			return
		}
		fault = fmt.Sprint(r)
		if a, ok := r.(interface{ Addr() uintptr }); ok {
			fault = f.at(a.Addr())
		}
		var own []string
		for line := range strings.Lines(string(debug.Stack())) {
			if _, call, found := strings.Cut(line, "runtime/cpu."); found {
				call, _, _ = strings.Cut(strings.TrimSpace(call), "({")
				own = append(own, call)
			}
		}
		fault += "\n" + strings.Join(own[:min(len(own), 12)], "\n")
	}()
	run()
	return ""
}

// at describes the place of a fault.
func (f *fence) at(addr uintptr) string {
	for _, r := range f.rooms {
		switch page := uintptr(os.Getpagesize()); {
		case f.atEnd && addr >= r.last && addr < r.last+page:
			return fmt.Sprintf("touches byte %d behind the end of %s of %d bytes", addr-r.last, r.name, r.last-r.first)
		case !f.atEnd && addr < r.first && addr >= r.first-page:
			return fmt.Sprintf("touches byte %d before %s of %d bytes", r.first-addr, r.name, r.last-r.first)
		}
	}
	return fmt.Sprintf("touches %#x, far from all arguments", addr)
}

// place copies a slice to the edge of an area.
func (f *fence) place(name string, x reflection.Value) reflection.Value {
	page := os.Getpagesize()
	size := x.Len() * int(x.Type().Elem().Size())
	const vector = 64
	pages := (size+vector)/page + 1 // at one side of the slice there is room for a vector
	free := plots[pages]
	if len(free) == 0 {
		free = append(free, newPlot(f, pages*page))
	}
	plot := free[len(free)-1]
	plots[pages] = free[:len(free)-1]
	at := 0
	if f.atEnd {
		at = len(plot) - size
	}
	p := unsafe.Add(unsafe.Pointer(unsafe.SliceData(plot)), at)
	f.rooms = append(f.rooms, room{name, uintptr(p), uintptr(p) + uintptr(size), plot})
	y := reflection.SliceAt(x.Type().Elem(), p, x.Len())
	reflection.Copy(y, x)
	return y.Convert(x.Type())
}

// newPlot maps memory of whole pages, between two that are protected.
func newPlot(t *fence, size int) []byte {
	page := os.Getpagesize()
	all, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return all[page : page+size : page+size]
}

// apply calls a function with what change makes of each argument for its parameter, and returns these arguments.
func apply(function any, args []any, change func(i int, v reflection.Value, as reflection.Type) reflection.Value) []reflection.Value {
	f := reflection.ValueOf(function)
	in := make([]reflection.Value, len(args))
	for i, arg := range args {
		if s, ok := arg.(scratchMemory); ok {
			arg = s.of
		}
		as := f.Type().In(i)
		if arg == nil {
			in[i] = reflection.Zero(as)
			continue
		}
		in[i] = change(i, reflection.ValueOf(arg), as)
	}
	f.Call(in)
	return in
}

// deepCopy copies all slices of a value, with their elements as float64 where the parameter asks for it.
func deepCopy(_ int, v reflection.Value, as reflection.Type) reflection.Value {
	return rebuild(v, as, func(x reflection.Value, elem reflection.Type) reflection.Value {
		if x, ok := x.Interface().([]float32); ok && elem.Kind() == reflection.Float64 { // as usual, without reflection
			return reflection.ValueOf(widen64(x))
		}
		y := reflection.MakeSlice(reflection.SliceOf(elem), x.Len(), x.Len())
		if x.Type().Elem() == elem {
			reflection.Copy(y, x)
			return y
		}
		for i := range x.Len() {
			y.Index(i).Set(x.Index(i).Convert(elem))
		}
		return y
	})
}

// rebuild copies a value as a type of the same form, with what slice makes of its slices of numbers.
func rebuild(v reflection.Value, as reflection.Type, slice func(x reflection.Value, elem reflection.Type) reflection.Value) reflection.Value {
	out := reflection.New(as).Elem()
	switch v.Kind() {
	case reflection.Slice:
		if v.IsNil() {
			break
		}
		if v.Type().Elem().Kind() != reflection.Slice {
			return slice(v, as.Elem())
		}
		out.Set(reflection.MakeSlice(as, v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(rebuild(v.Index(i), as.Elem(), slice))
		}
	case reflection.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(rebuild(v.Field(i), as.Field(i).Type, slice))
		}
	default:
		out.Set(v.Convert(as))
	}
	return out
}

// difference describes the first argument that a kernel has left other than wanted.
func difference(got, want []reflection.Value, args []any, tol float64) string {
	for i := range got {
		if _, ok := args[i].(scratchMemory); ok {
			continue
		}
		if d := unequal(got[i], want[i], tol); d != "" {
			return fmt.Sprintf("argument %d%s", i, d)
		}
	}
	return ""
}

func unequal(got, want reflection.Value, tol float64) string {
	switch got.Kind() {
	case reflection.Struct:
		for i := range got.NumField() {
			if d := unequal(got.Field(i), want.Field(i), tol); d != "" {
				return "." + got.Type().Field(i).Name + d
			}
		}
	case reflection.Slice:
		if sameSlice(got, want, tol) {
			return ""
		}
		for i := range got.Len() {
			if d := unequal(got.Index(i), want.Index(i), tol); d != "" {
				return fmt.Sprintf("[%d]%s", i, d)
			}
		}
	case reflection.Float32, reflection.Float64:
		if !about64(got.Float(), want.Float(), tol) {
			return fmt.Sprintf(" is %v, want %v", got, want)
		}
	default:
		if !got.Equal(want) {
			return fmt.Sprintf(" is %v, want %v", got, want)
		}
	}
	return ""
}

// sameSlice compares the usual slices without reflection, which takes long.
func sameSlice(got, want reflection.Value, tol float64) bool {
	switch g := got.Interface().(type) {
	case []float32:
		switch w := want.Interface().(type) {
		case []float32:
			return slices.EqualFunc(g, w, func(a, b float32) bool { return about64(float64(a), float64(b), tol) })
		case []float64:
			return slices.EqualFunc(g, w, func(a float32, b float64) bool { return about64(float64(a), b, tol) })
		}
	case []int8:
		w, ok := want.Interface().([]int8)
		return ok && slices.Equal(g, w)
	case []byte:
		w, ok := want.Interface().([]byte)
		return ok && bytes.Equal(g, w)
	case []int32:
		w, ok := want.Interface().([]int32)
		return ok && slices.Equal(g, w)
	}
	return false
}

// about64 reports whether a number is near another. What is not finite must be the same.
func about64(got, want, tol float64) bool {
	return math.Abs(got-want) <= tol*max(1, math.Abs(want)) || got == want || got != got && want != want
}

// sizes lists the lengths of slices and the numbers among arguments.
func sizes(args []any) string {
	var list []string
	for _, a := range args {
		if s, ok := a.(scratchMemory); ok {
			a = s.of
		}
		switch v := reflection.ValueOf(a); v.Kind() {
		case reflection.Invalid:
			list = append(list, "nil")
		case reflection.Slice:
			list = append(list, fmt.Sprintf("[%d]%s", v.Len(), v.Type().Elem()))
		default:
			list = append(list, fmt.Sprintf("%+v", a))
		}
	}
	text := "(" + strings.Join(list, ", ") + ")"
	return text[:min(len(text), 600)]
}

// A fence notices elements that are read or written outside, with the place.
func TestFenceNotices(t *testing.T) {
	f := &fence{T: t, faults: map[string]bool{}}
	x := reflection.ValueOf([]float32{1, 2, 3})
	for _, c := range []struct {
		atEnd bool
		at    int
		want  string
	}{{true, 12, "touches byte 0 behind the end of x of 12 bytes"}, {true, 11, ""}, {false, -1, "touches byte 1 before x of 12 bytes"}, {false, 0, ""}} {
		f.atEnd, f.rooms = c.atEnd, nil
		y := f.place("x", x)
		p := (*byte)(unsafe.Add(y.UnsafePointer(), c.at))
		for _, touch := range []func(){func() { fenceSink = *p }, func() { *p = 1 }} {
			if got, _, _ := strings.Cut(f.guard(touch), "\n"); got != c.want {
				t.Errorf("byte %d: got %q, want %q", c.at, got, c.want)
			}
		}
	}
}

var fenceSink byte
