package tensor

import (
	"fmt"
	"strings"
	"testing"
)

// TestDTypeNames checks that the name of each element type is parsed, and its Go type.
func TestDTypeNames(t *testing.T) {
	for d := Float32; d <= Int2; d++ {
		if got, ok := ParseDType(d.String()); got != d || !ok {
			t.Errorf("ParseDType(%q) = %v, %v", d, got, ok)
		}
		goType := strings.TrimPrefix(fmt.Sprintf("%T", New(d).Data), "[]")
		if d.GoType() != goType {
			t.Errorf("%v: GoType is %s, the slice holds %s", d, d.GoType(), goType)
		}
	}
	for _, s := range []string{"", "undefined", "Float32", "dtype(27)"} {
		if d, ok := ParseDType(s); ok {
			t.Errorf("ParseDType(%q) = %v, want none", s, d)
		}
	}
}

// TestDTypeBeyondTheTable checks that values outside of the table are no element types.
func TestDTypeBeyondTheTable(t *testing.T) {
	for _, d := range []DType{Undefined, 27, 255} {
		if d.Valid() || d.Size() != 0 || d.Bits() != 0 || d.IsFloat() || d.IsInt() || d.GoType() != "" {
			t.Errorf("%v passes for a dtype", d)
		}
	}
	if s := DType(27).String(); s != "dtype(27)" {
		t.Errorf("String = %q", s)
	}
}

// TestDTypeClasses compares the classes of each element type with its name.
func TestDTypeClasses(t *testing.T) {
	for d := Float32; d <= Int2; d++ {
		name := d.String()
		float := strings.Contains(name, "float")
		integer := strings.Contains(name, "int")
		cplx := strings.HasPrefix(name, "complex")
		signed := d != Float8E8M0 && (float || cplx || integer && name[0] != 'u')
		small := float && name != "float32" && name != "float64"
		if d.IsFloat() != float || d.IsInt() != integer || d.IsComplex() != cplx ||
			d.IsSigned() != signed || d.IsSmallFloat() != small {
			t.Errorf("%v: float %v, int %v, complex %v, signed %v, small %v", d,
				d.IsFloat(), d.IsInt(), d.IsComplex(), d.IsSigned(), d.IsSmallFloat())
		}
		if d != String && (d.Size()*8 < d.Bits() || d.Bits() == 0) {
			t.Errorf("%v: %d bytes for %d bits", d, d.Size(), d.Bits())
		}
	}
}

// TestDTypeOf checks the element type of each Go type.
func TestDTypeOf(t *testing.T) {
	got := []DType{
		DTypeOf[float32](), DTypeOf[uint8](), DTypeOf[int8](), DTypeOf[uint16](), DTypeOf[int16](),
		DTypeOf[int32](), DTypeOf[int64](), DTypeOf[string](), DTypeOf[bool](), DTypeOf[F16](),
		DTypeOf[float64](), DTypeOf[uint32](), DTypeOf[uint64](), DTypeOf[complex64](), DTypeOf[complex128](),
		DTypeOf[BF16](), DTypeOf[F8E4M3FN](), DTypeOf[F8E4M3FNUZ](), DTypeOf[F8E5M2](), DTypeOf[F8E5M2FNUZ](),
		DTypeOf[U4](), DTypeOf[I4](), DTypeOf[F4E2M1](), DTypeOf[F8E8M0](), DTypeOf[U2](), DTypeOf[I2](),
	}
	for i, d := range got {
		if want := DType(i + 1); d != want {
			t.Errorf("DTypeOf gives %v, want %v", d, want)
		}
	}
}
