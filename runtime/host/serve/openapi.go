package serve

import (
	"strings"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// object is a JSON object with literal content.
type object = map[string]any

// openAPI returns a document of OpenAPI 3.1 that describes the server.
func (h *handler) openAPI() object {
	paths := object{}
	for _, r := range h.routes() {
		path := strings.TrimSuffix(r.path, "{$}")
		item, _ := paths[path].(object)
		if item == nil {
			item = object{}
			paths[path] = item
		}
		item[strings.ToLower(r.method)] = h.operation(r)
	}
	return object{
		"openapi":    "3.1.0",
		"info":       object{"title": h.p.Name, "version": version, "description": "The model " + h.p.Name + ", compiled by bbgen from " + h.p.Source + "."},
		"paths":      paths,
		"components": object{"schemas": h.schemas()},
	}
}

// operation describes one route.
func (h *handler) operation(r route) object {
	failure := object{"description": "What is wrong.", "content": content(map[string]string{mimeJSON: "Error"})}
	responses := object{"200": object{"description": "The answer.", "content": content(r.response)}}
	op := object{"operationId": r.id, "summary": r.summary, "responses": responses}
	var parameters []object
	for _, name := range pathParameters(r.path) {
		only := map[string]string{"model": h.p.Name, "version": version}[name]
		parameters = append(parameters, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string", "enum": []string{only}}})
	}
	if parameters != nil {
		op["parameters"] = parameters
		responses["404"] = failure
	}
	if r.request != nil {
		op["requestBody"] = object{"required": true, "content": content(r.request)}
		responses["400"] = failure
		responses["503"] = failure
		responses["504"] = failure
	}
	return op
}

// pathParameters returns the names in braces of a path.
func pathParameters(path string) (names []string) {
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok && name != "$}" {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// content is a body by media type, with the name of its schema.
func content(schemas map[string]string) object {
	c := object{}
	for mime, name := range schemas {
		c[mime] = object{"schema": ref(name)}
	}
	return c
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// schemas returns the schemas of requests and answers.
func (h *handler) schemas() object {
	return object{
		"Request":       ported("inputs", h.p.Inputs, true),
		"Response":      ported("outputs", h.p.Outputs, false),
		"InferRequest":  inferSchema("inputs", h.p.Inputs),
		"InferResponse": inferSchema("outputs", h.p.Outputs),
		"Error":         fields(object{"error": object{"type": "string"}}, "error"),
		"Object":        object{"type": "object"},
		"Text":          object{"type": "string"},
		"Binary":        object{"type": "string", "format": "binary"},
	}
}

// fields is an object with fields, some of which are required.
func fields(properties object, required ...string) object {
	return object{"type": "object", "properties": properties, "required": required}
}

// ported is the body of /run, {"inputs": {...}} or {"outputs": {...}}.
func ported(key string, ports []model.Port, lists bool) object {
	all, required := object{}, make([]string, len(ports))
	for i, p := range ports {
		all[p.Name], required[i] = portSchema(p, lists), p.Name
	}
	inner := fields(all, required...)
	inner["additionalProperties"] = false
	return fields(object{key: inner}, key)
}

// portSchema is a tensor with its shape, or as nested lists if lists is set. Other types are described in
// words.
func portSchema(p model.Port, lists bool) object {
	if p.Elem == tensor.Undefined || p.Key != tensor.Undefined {
		return object{"description": p.Type}
	}
	t := fields(object{
		"dtype": object{"const": p.Elem.String()},
		"shape": shapeSchema(p.Dims),
		"data":  object{"description": "elements, row by row, or lists in lists"},
	}, "data")
	if !lists {
		t["description"] = p.Type
		return t
	}
	nested := object{"type": []string{"array", "number", "string", "boolean"}, "description": "lists in lists"}
	return object{"description": p.Type, "anyOf": []object{t, nested}}
}

// shapeSchema is a list of sizes, some of which are fixed.
func shapeSchema(dims []string) object {
	items := make([]object, len(dims))
	for i, n := range sizes(dims, -1) {
		items[i] = object{"type": "integer", "minimum": 0}
		if n >= 0 {
			items[i] = object{"const": n}
		}
	}
	shape := object{"type": "array", "items": object{"type": "integer"}, "minItems": len(dims), "maxItems": len(dims)}
	if len(items) > 0 {
		shape["prefixItems"] = items
	}
	return shape
}

// inferSchema is a request or an answer of KServe's protocol.
func inferSchema(key string, ports []model.Port) object {
	tensors := make([]object, len(ports))
	for i, p := range describe(ports) {
		tensors[i] = fields(object{
			"name":       object{"const": p.Name},
			"datatype":   object{"const": p.Datatype},
			"shape":      shapeSchema(ports[i].Dims),
			"data":       object{"type": "array"},
			"parameters": object{"type": "object"},
		}, "name", "datatype", "shape")
	}
	list := object{"type": "array", "items": object{"anyOf": tensors}}
	return fields(object{key: list, "id": object{"type": "string"}}, key)
}
