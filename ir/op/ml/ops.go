package ml

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	ArrayFeatureExtractor,
	Binarizer,
	CastMap,
	CategoryMapper,
	DictVectorizer,
	FeatureVectorizer,
	Imputer,
	LabelEncoder,
	LinearClassifier,
	LinearRegressor,
	Normalizer,
	OneHotEncoder,
	SVMClassifier,
	SVMRegressor,
	Scaler,
	TreeEnsemble,
	TreeEnsembleClassifier,
	TreeEnsembleRegressor,
	ZipMap,
}
