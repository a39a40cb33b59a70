package dataset

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestWide reads further columns: their rows remain with the examples, through splits and changes of features.
func TestWide(t *testing.T) {
	const n = 10
	x, y, weight, mask := tensor.New(tensor.Float32, n, 2), tensor.New(tensor.Int64, n), tensor.New(tensor.Float64, n, 1), tensor.New(tensor.Uint8, n, 3)
	for i := range n {
		tensor.Data[float32](x)[2*i] = float32(i)
		tensor.Data[int64](y)[i] = int64(i)
		tensor.Data[float64](weight)[i] = float64(i) / 4
		tensor.Data[uint8](mask)[3*i+1] = uint8(i)
	}
	more := []Column{{Name: "weight", As: tensor.Float32}, {Name: "mask", As: tensor.Int64}}
	b := archive(t, map[string]*tensor.Tensor{
		"x_train": x, "y_train": y, "weight_train": weight, "mask_train": mask,
		"x_test": x, "y_test": y, "weight_test": weight, "mask_test": mask,
	})
	set, err := Open(files("a.npz", b), "a.npz", Options{X: tensor.Float32, Y: tensor.Int64, More: more})
	if err != nil {
		t.Fatal(err)
	}
	train, val := Split(set.Train, 0.3, 1)
	scaled, err := Normalize(train, []float32{0}, []float32{2})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]DataSource{"training": train, "held back": val, "scaled": scaled, "test": set.Val} {
		if got := fmt.Sprint(More(s)); got != "[float32[1] int64[3]]" {
			t.Fatalf("%s: values of %s", name, got)
		}
		indices := []int{2, 0}
		labels, weights, masks := tensor.New(tensor.Int64, 2), tensor.New(tensor.Float32, 2, 1), tensor.New(tensor.Int64, 2, 3)
		if err := s.Batch(indices, tensor.New(tensor.Float32, 2, 2), labels); err != nil {
			t.Fatal(err)
		}
		if err := BatchMore(s, indices, []*tensor.Tensor{weights, masks}); err != nil {
			t.Fatal(err)
		}
		a, b := tensor.Data[int64](labels)[0], tensor.Data[int64](labels)[1]
		if got := tensor.Data[float32](weights); got[0] != float32(a)/4 || got[1] != float32(b)/4 {
			t.Errorf("%s: the weights of examples %d and %d are %v", name, a, b, got)
		}
		if got := tensor.Data[int64](masks); !slices.Equal(got, []int64{0, a, 0, 0, b, 0}) {
			t.Errorf("%s: the masks of examples %d and %d are %v", name, a, b, got)
		}
		for _, bad := range []error{
			BatchMore(s, []int{0, s.Len()}, []*tensor.Tensor{weights, masks}),
			BatchMore(s, indices, []*tensor.Tensor{weights}),
			BatchMore(s, indices, []*tensor.Tensor{weights, labels}),
		} {
			if bad == nil {
				t.Errorf("%s: a batch that does not fit is filled", name)
			}
		}
	}
}

// TestLike shows the names of corresponding arrays.
func TestLike(t *testing.T) {
	for array, want := range map[string]string{"x_train": "w_train", "X_test": "w_test", "train_images": "train_w", "val_data": "val_w", "data": "w", "x": "w"} {
		if got := like("w", array); got != want {
			t.Errorf("beside %s stands %s, want %s", array, got, want)
		}
	}
}

func TestWideErrors(t *testing.T) {
	x, y := tensor.New(tensor.Float32, 2), tensor.New(tensor.Int64, 2)
	opt := Options{X: tensor.Float32, Y: tensor.Int64, More: []Column{{Name: "weight", As: tensor.Float32}}}
	for want, arrays := range map[string]map[string]*tensor.Tensor{
		"a.npz: there is no array weight_train, which the model reads beside x_train": {"x_train": x, "y_train": y, "weight": x},
		"a.npz: weight: 3 rows, want 2":                                               {"x": x, "y": y, "weight": tensor.New(tensor.Float32, 3)},
	} {
		if _, err := Open(files("a.npz", archive(t, arrays)), "a.npz", opt); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	want := "a.csv: has features and labels alone, and weight is to be read, too: want .npy files, or an .npz, with an array for each"
	if _, err := Open(files("a.csv", "a,class\n1,2\n"), "a.csv", opt); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
