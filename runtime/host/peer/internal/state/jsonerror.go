package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// JSONError describes JSON of a wrong type without the names of Go types.
func JSONError(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	want := "a number"
	switch wrong.Type.Kind() {
	case reflect.Slice:
		want = "a list"
	case reflect.Struct, reflect.Map:
		want = "an object"
	case reflect.String:
		want = "a text"
	case reflect.Bool:
		want = "true or false"
	}
	where := ""
	if wrong.Field != "" {
		where = fmt.Sprintf("field %s ", wrong.Field)
	}
	return fmt.Errorf("%sat byte %d: got %s, want %s", where, wrong.Offset, wrong.Value, want)
}
