package parts

import (
	"fmt"
	"slices"
	"testing"
)

// TestMoment: a moment is protobuf's message of its seconds, which is read over another one.
func TestMoment(t *testing.T) {
	m, err := new(Clerk).At(5)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.AppendBinary([]byte{9})
	if got, want := fmt.Sprintf("% x", b), "09 08 85 94 eb dc 03"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	read, err := new(Clerk).At(6)
	if err != nil {
		t.Fatal(err)
	}
	if err := read.UnmarshalBinary(b[1:]); err != nil {
		t.Fatal(err)
	}
	got, err := new(Sensor).Seconds(read)
	if err != nil || !slices.Equal(got.Data, []int64{1000000005}) || !slices.Equal(got.Shape, []int{1}) {
		t.Errorf("got %v of shape %v, %v, want 1000000005", got.Data, got.Shape, err)
	}
	if err := read.UnmarshalBinary([]byte{8}); err == nil {
		t.Error("a field without a value is read")
	}
}
