package codegen

import "testing"

// TestReturnLast tests that the error of a function's last call is returned directly, and others are not.
func TestReturnLast(t *testing.T) {
	for src, want := range map[string]string{
		"{\n\tif err := f(x); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n":                    "{\n\treturn f(x)\n}\n",
		"{\n\tif _, err := f(x); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n":                 "",
		"{\n\tif err := f(x); err != nil {\n\t\treturn err\n\t}\n\tg()\n\treturn nil\n}\n":             "",
		"{\n\tif err := f(x); err != nil {\n\t\treturn err\n\t}\n\treturn nil, nil\n}\n":               "",
		"{\n\tif err := f(x); err != nil {\n\t\treturn nil, err\n\t}\n\treturn nil\n}\n":               "",
		"{\n\tif err := f(x); err != nil {\n\t\treturn err\n\t}\n\tif y {\n\t\treturn nil\n\t}\n\t}\n": "",
	} {
		if want == "" {
			want = src
		}
		if got := string(returnLast([]byte(src))); got != want {
			t.Errorf("%s becomes %s, want %s", src, got, want)
		}
	}
}
