package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// naiveTensor is an entry of a header as package json reads it.
type naiveTensor struct {
	Dtype   string     `json:"dtype"`
	Shape   []*big.Int `json:"shape"`
	Offsets []*big.Int `json:"data_offsets"`
}

// naiveBits are the bits of an element of each type.
var naiveBits = map[string]int64{
	"BOOL": 8, "F4": 4, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16,
	"F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "C64": 64, "F64": 64, "I64": 64, "U64": 64,
}

// naiveValid reports whether tensors, each valid by itself, fill size bytes of data without gap or overlap. Numbers have no
// limits here.
func naiveValid(list map[string]naiveTensor, size int64) bool {
	var spans [][2]int64
	for _, x := range list {
		bits, known := naiveBits[x.Dtype]
		if !known || len(x.Offsets) != 2 || len(x.Shape) > 255 {
			return false
		}
		n := big.NewInt(bits)
		for _, d := range x.Shape {
			if d.Sign() < 0 || !d.IsInt64() || int64(int(d.Int64())) != d.Int64() { // machines of 32 bits have no larger dimensions
				return false
			}
			n.Mul(n, d)
		}
		bytes, rest := new(big.Int).DivMod(n, big.NewInt(8), new(big.Int))
		begin, end := x.Offsets[0], x.Offsets[1]
		if rest.Sign() != 0 || begin.Sign() < 0 || !end.IsInt64() || new(big.Int).Sub(end, begin).Cmp(bytes) != 0 {
			return false
		}
		spans = append(spans, [2]int64{begin.Int64(), end.Int64()})
	}
	sort.Slice(spans, func(i, j int) bool {
		return spans[i][0] < spans[j][0] || spans[i][0] == spans[j][0] && spans[i][1] < spans[j][1]
	})
	at := int64(0)
	for _, s := range spans {
		if s[0] != at {
			return false
		}
		at = s[1]
	}
	return at == size
}

// drawn is a random file: a header, which may be wrong in one place, and how much data there is.
type drawn struct {
	rand *rand.Rand
	list map[string]naiveTensor
	size int64
}

var sortedNames = func() (names []string) {
	for name := range naiveBits {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

func draw(r *rand.Rand) *drawn {
	d := &drawn{rand: r, list: map[string]naiveTensor{}}
	for i := range r.IntN(6) {
		x := naiveTensor{Dtype: sortedNames[r.IntN(len(sortedNames))]}
		bits := naiveBits[x.Dtype]
		for range r.IntN(4) {
			n := r.Int64N(5)
			x.Shape = append(x.Shape, big.NewInt(n))
			bits *= n
		}
		if bits%8 != 0 {
			x.Shape = append(x.Shape, big.NewInt(2))
			bits *= 2
		}
		x.Offsets = []*big.Int{big.NewInt(d.size), big.NewInt(d.size + bits/8)}
		d.size += bits / 8
		d.list[fmt.Sprintf("t%d", i)] = x
	}
	return d
}

// huge are numbers at the limits of the types in which sizes are computed.
var huge = func() (list []*big.Int) {
	for _, shift := range []uint{16, 31, 32, 33, 47, 48, 61, 62, 63, 64, 65, 100} {
		x := new(big.Int).Lsh(big.NewInt(1), shift)
		list = append(list, x, new(big.Int).Sub(x, big.NewInt(1)), new(big.Int).Add(x, big.NewInt(1)))
	}
	return append(list, big.NewInt(-1), big.NewInt(0), big.NewInt(3))
}()

// spoil changes one number, type or length.
func (d *drawn) spoil() {
	r := d.rand
	number := func() *big.Int { return huge[r.IntN(len(huge))] }
	for _, name := range []string{"t0", "t1", "t2", "t3", "t4"} {
		x, ok := d.list[name]
		if !ok || r.IntN(2) == 0 {
			continue
		}
		x.Shape, x.Offsets = slices.Clone(x.Shape), slices.Clone(x.Offsets)
		near := func(v *big.Int) *big.Int { return new(big.Int).Add(v, big.NewInt(r.Int64N(5)-2)) }
		switch r.IntN(9) {
		case 8:
			d.shift(x.Offsets[0], r.Int64N(5)-2)
			continue
		case 0:
			x.Shape = append(x.Shape, number())
		case 1:
			x.Shape = append(x.Shape, number(), number(), number())
		case 2:
			x.Offsets[0] = near(x.Offsets[0])
		case 3:
			x.Offsets[1] = near(x.Offsets[1])
		case 4:
			x.Offsets[r.IntN(2)] = number()
		case 5:
			x.Offsets = append(x.Offsets, number())
		case 6:
			x.Dtype = sortedNames[r.IntN(len(sortedNames))]
		default:
			d.size += r.Int64N(5) - 2
		}
		d.list[name] = x
	}
	d.size = max(d.size, 0)
}

// shift moves all tensors from an offset on, which leaves a hole or makes them overlap.
func (d *drawn) shift(from *big.Int, by int64) {
	for name, x := range d.list {
		if x.Offsets[0].Cmp(from) >= 0 {
			x.Offsets = slices.Clone(x.Offsets)
			for i, v := range x.Offsets {
				x.Offsets[i] = new(big.Int).Add(v, big.NewInt(by))
			}
			d.list[name] = x
		}
	}
	d.size += by
}

// text returns the header with its tensors, and the fields of each, in any order, and with spaces.
func (d *drawn) text(t *testing.T) string {
	r := d.rand
	var entries []string
	for name, x := range d.list {
		fields := []string{`"dtype":"` + x.Dtype + `"`}
		for key, list := range map[string][]*big.Int{"shape": x.Shape, "data_offsets": x.Offsets} {
			b, err := json.Marshal(append([]*big.Int{}, list...))
			if err != nil {
				t.Fatal(err)
			}
			fields = append(fields, fmt.Sprintf("%q: %s", key, b))
		}
		slices.Sort(fields) // the order of a map differs from run to run
		r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		entries = append(entries, fmt.Sprintf("%q : {%s}", name, strings.Join(fields, " , ")))
	}
	slices.Sort(entries)
	if r.IntN(3) == 0 {
		entries = append(entries, `"__metadata__":{"a":"b"}`)
	}
	r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	return "{" + strings.Join(entries, ",\n") + "}" + strings.Repeat(" ", r.IntN(9))
}

// TestNaiveHeaders: files with random headers are read if and only if their tensors, computed without limits of size, fill
// them without gap or overlap; and each tensor has its own bytes.
func TestNaiveHeaders(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	valid, refused := 0, 0
	for range 20000 {
		d := draw(r)
		for r.IntN(3) > 0 {
			d.spoil()
		}
		size := min(d.size, 1<<16)
		text := d.text(t)
		b := file(text, int(size))
		data := b[len(b)-int(size):]
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		want := naiveValid(d.list, size)
		f, err := Decode(b)
		if want != (err == nil) {
			t.Fatalf("%s with %d bytes: %v, and it is valid: %v", text, size, err, want)
		}
		if err != nil {
			refused++
			continue
		}
		valid++
		d.compare(t, f, data)
	}
	if valid < 4000 || refused < 4000 {
		t.Errorf("%d are valid, and %d are not", valid, refused)
	}
}

// compare compares the tensors of a file with the bytes that the header says.
func (d *drawn) compare(t *testing.T, f *File, data []byte) {
	t.Helper()
	if len(f.Tensors) != len(d.list) {
		t.Fatalf("%d tensors, want %d", len(f.Tensors), len(d.list))
	}
	for name, x := range d.list {
		got := f.Tensors[name]
		want := data[x.Offsets[0].Int64():x.Offsets[1].Int64()]
		if len(got.Shape) != len(x.Shape) {
			t.Fatalf("%s has shape %v, want %v", name, got.Shape, x.Shape)
		}
		for i, n := range got.Shape {
			if int64(n) != x.Shape[i].Int64() {
				t.Fatalf("%s has shape %v, want %v", name, got.Shape, x.Shape)
			}
		}
		for i, v := range got.Bytes() {
			w := byte(0)
			switch {
			case x.Dtype == "F4":
				w = want[i/2] >> (4 * (i % 2)) & 15
			case x.Dtype == "BOOL":
				w = min(want[i], 1)
			case tensor.BigEndian:
				continue
			default:
				w = want[i]
			}
			if v != w {
				t.Fatalf("byte %d of %s is %#x, want %#x", i, name, v, w)
			}
		}
	}
}

// TestEveryCut: a file is refused wherever it is cut off, with its own size and with the one that it had; and with each byte
// of its header changed, it is refused or consistent.
func TestEveryCut(t *testing.T) {
	b, err := everyType().Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if _, err := Decode(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are read", n, len(b))
		}
	}
	end := 8 + int(binary.LittleEndian.Uint64(b))
	for i := range end {
		for _, x := range []byte{0, ' ', '"', '{', '}', '[', ',', '0', '9', 0x80, b[i] ^ 1} {
			c := slices.Clone(b)
			c[i] = x
			f, err := Decode(c)
			if err != nil {
				continue
			}
			if again, err := f.Append(nil); err != nil || len(again)-8-int(binary.LittleEndian.Uint64(again)) != len(b)-end {
				t.Errorf("byte %d is %q: the tensors have another size, %v", i, x, err)
			}
		}
	}
}

// TestHostileHeaders: headers that a parser of JSON may take for something else.
func TestHostileHeaders(t *testing.T) {
	const entry = `{"dtype":"U8","shape":[],"data_offsets":[0,1]}`
	for _, header := range []string{
		`{"a":` + entry + `,"\u0061":` + entry + `}`,                    // the same name, written otherwise
		`{"\ud800":` + entry + `,"\udbff":` + entry + `}`,               // both are no characters
		`{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1],}}`,         // a comma too many
		`{"a":{"dtype":"U8","shape":[,],"data_offsets":[0,1]}}`,         //
		`{"a":{"dtype":"U8","shape":[] "data_offsets":[0,1]}}`,          // one too few
		`{"a":{"dtype":"U8","shape":[],"data_offsets":[00,1]}}`,         // no JSON
		`{"a":{"dtype":"U8","shape":[],"data_offsets":[-0,1]}}`,         //
		`{"a":{"dtype":"U8","shape":[],"data_offsets":[0.0,1]}}`,        // no whole number
		`{"a":{"dtype":"U8","shape":[],"data_offsets":["0",1]}}`,        //
		`{"a":{"dtype":"U8","shape":null,"data_offsets":[0,1]}}`,        //
		`{"a":{"Dtype":"U8","shape":[],"data_offsets":[0,1]}}`,          // keys have one case
		`{"a":{"dtype":"u8","shape":[],"data_offsets":[0,1]}}`,          // types, too
		`{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1],"x":null}}`, //
		`{"a":null}`,
		`{"__metadata__":` + entry + `}`,
		`{"__metadata__":{"a":"1","a":"2"},"a":` + entry + `}`,
		`{"a":` + entry + `}{}`,
		`{"a":` + entry + "}\x00",
		`{"a":` + entry,
		"\xef\xbb\xbf" + `{"a":` + entry + `}`,
		strings.Repeat(`{"a":`, 100000),
		`{"a":{"shape":` + strings.Repeat("[", 100000),
	} {
		if f, err := Decode(file(header, 1)); err == nil {
			t.Errorf("%.100s is read as %v", header, f)
		}
	}
	for _, header := range []string{ // what is unusual, and allowed
		`{"":` + entry + `}`, `{"\u0000\n\"":` + entry + `}`, `{"a":` + entry + `,"__metadata__":{}}`,
		"{\t\"a\"\n:\r" + entry + ` } `,
	} {
		if f, err := Decode(file(header, 1)); err != nil || len(f.Tensors) != 1 {
			t.Errorf("%s: %v", header, err)
		}
	}
}
