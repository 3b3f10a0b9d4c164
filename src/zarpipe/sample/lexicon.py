# ruff: noqa: E501 (tables: one row, one line)
"""The words of the sample: nouns by semantic class, predicates with their case frames, adverbs, names.

The tables below are the only place where words stand. A class is what selectional restrictions speak of:
a frame names, for each case, the classes (or groups of classes, or single nouns) that may fill it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from zarpipe.sample.morphology import KURU, SURU, VOWEL, Word

GA, WO, NI = "ga", "o", "ni"
CASES = (GA, WO, NI)

# class: noun/reading ... (JUMAN 普通名詞 unless the class is listed in _POS_SUB below)
_NOUNS = """
official:   市長/しちょう 知事/ちじ 大臣/だいじん 首相/しゅしょう 議員/ぎいん 町長/ちょうちょう 大使/たいし 長官/ちょうかん
business:   社長/しゃちょう 部長/ぶちょう 課長/かちょう 社員/しゃいん 秘書/ひしょ 店長/てんちょう 店員/てんいん 商人/しょうにん
worker:     技師/ぎし 職人/しょくにん 大工/だいく 駅員/えきいん 作業員/さぎょういん 農民/のうみん 漁師/りょうし 庭師/にわし
driver:     運転手/うんてんしゅ 船長/せんちょう 船員/せんいん 操縦士/そうじゅうし
cook:       料理人/りょうりにん 主婦/しゅふ 板前/いたまえ
police:     警官/けいかん 刑事/けいじ 検事/けんじ 警備員/けいびいん
doctor:     医師/いし 看護師/かんごし 獣医/じゅうい 歯科医/しかい
scholar:    教授/きょうじゅ 学者/がくしゃ 研究者/けんきゅうしゃ 専門家/せんもんか 弁護士/べんごし 教師/きょうし 講師/こうし 司書/ししょ
media:      記者/きしゃ 編集者/へんしゅうしゃ 作家/さっか 評論家/ひょうろんか 詩人/しじん
artist:     画家/がか 歌手/かしゅ 俳優/はいゆう 監督/かんとく 写真家/しゃしんか 彫刻家/ちょうこくか
learner:    学生/がくせい 生徒/せいと 留学生/りゅうがくせい 児童/じどう 新人/しんじん
family:     母/はは 父/ちち 兄/あに 姉/あね 弟/おとうと 妹/いもうと 祖父/そふ 祖母/そぼ 息子/むすこ 娘/むすめ 妻/つま 夫/おっと
public:     住民/じゅうみん 客/きゃく 観光客/かんこうきゃく 男/おとこ 女性/じょせい 老人/ろうじん 少年/しょうねん 少女/しょうじょ 若者/わかもの 友人/ゆうじん
patient:    患者/かんじゃ 病人/びょうにん 乗客/じょうきゃく 被災者/ひさいしゃ
suspect:    犯人/はんにん 泥棒/どろぼう 容疑者/ようぎしゃ
company:    会社/かいしゃ 銀行/ぎんこう 新聞社/しんぶんしゃ 出版社/しゅっぱんしゃ 工務店/こうむてん
authority:  政府/せいふ 市役所/しやくしょ 委員会/いいんかい 国会/こっかい 与党/よとう 野党/やとう 県/けん 警察/けいさつ
society:    組合/くみあい 大学/だいがく 研究所/けんきゅうじょ 協会/きょうかい 財団/ざいだん
city:       東京/とうきょう 大阪/おおさか 京都/きょうと 神戸/こうべ 名古屋/なごや 札幌/さっぽろ 福岡/ふくおか 仙台/せんだい 広島/ひろしま 長崎/ながさき 横浜/よこはま 金沢/かなざわ
facility:   駅/えき 港/みなと 図書館/としょかん 病院/びょういん 学校/がっこう 公園/こうえん 空港/くうこう 会場/かいじょう 工場/こうじょう 事務所/じむしょ 市場/いちば 美術館/びじゅつかん 寺/てら 劇場/げきじょう
lodging:    旅館/りょかん 宿/やど 民宿/みんしゅく ホテル/ほてる
store:      倉庫/そうこ 物置/ものおき 棚/たな 机/つくえ 部屋/へや 台所/だいどころ
home:       家/いえ 村/むら 町/まち 島/しま 実家/じっか
nature:     山/やま 海岸/かいがん 森/もり 丘/おか 湖/みずうみ 峠/とうげ
land:       庭/にわ 畑/はたけ 花壇/かだん 空き地/あきち
thing:      箱/はこ 鍵/かぎ 傘/かさ 椅子/いす 道具/どうぐ かばん/かばん 眼鏡/めがね 帽子/ぼうし 毛布/もうふ 財布/さいふ 袋/ふくろ 人形/にんぎょう 指輪/ゆびわ 網/あみ
fragile:    皿/さら 花瓶/かびん 茶碗/ちゃわん 鏡/かがみ 窓/まど
cargo:      荷物/にもつ 木材/もくざい 石炭/せきたん 商品/しょうひん 部品/ぶひん 家具/かぐ
machine:    機械/きかい 装置/そうち 電話/でんわ 冷蔵庫/れいぞうこ 時計/とけい ポンプ/ぽんぷ エンジン/えんじん 信号/しんごう
vehicle:    車/くるま 船/ふね バス/ばす 電車/でんしゃ トラック/とらっく 自転車/じてんしゃ 飛行機/ひこうき タクシー/たくしー
fresh:      魚/さかな 野菜/やさい 果物/くだもの 卵/たまご 肉/にく りんご/りんご みかん/みかん 米/こめ
dish:       料理/りょうり 弁当/べんとう 菓子/かし パン/ぱん 餅/もち スープ/すーぷ
drink:      酒/さけ 水/みず 茶/ちゃ 牛乳/ぎゅうにゅう コーヒー/こーひー
medicine:   薬/くすり 目薬/めぐすり 痛み止め/いたみどめ
writing:    手紙/てがみ 記事/きじ 論文/ろんぶん 報告書/ほうこくしょ 小説/しょうせつ 日記/にっき 原稿/げんこう 詩/し
document:   書類/しょるい 地図/ちず 資料/しりょう 契約書/けいやくしょ 名簿/めいぼ 切符/きっぷ 写真/しゃしん
book:       本/ほん 新聞/しんぶん 雑誌/ざっし 辞書/じしょ 教科書/きょうかしょ 絵本/えほん
painting:   絵/え 肖像画/しょうぞうが 風景画/ふうけいが 看板/かんばん
music:      歌/うた 曲/きょく 民謡/みんよう
show:       映画/えいが 芝居/しばい 番組/ばんぐみ
animal:     犬/いぬ 猫/ねこ 馬/うま 牛/うし 羊/ひつじ 小鳥/ことり
wild:       熊/くま 猿/さる 鹿/しか 狼/おおかみ 猪/いのしし
flower:     花/はな 桜/さくら 菊/きく ばら/ばら 苗/なえ 松/まつ
crop:       稲/いね 麦/むぎ 大豆/だいず
building:   橋/はし 塔/とう ビル/びる 住宅/じゅうたく ダム/だむ 堤防/ていぼう トンネル/とんねる 校舎/こうしゃ
meeting:    会議/かいぎ 交渉/こうしょう 集会/しゅうかい 授業/じゅぎょう 講演/こうえん 式典/しきてん 総会/そうかい
festival:   祭り/まつり 試合/しあい 音楽会/おんがくかい 展覧会/てんらんかい 大会/たいかい 選挙/せんきょ
plan:       計画/けいかく 案/あん 提案/ていあん 規則/きそく 企画/きかく
policy:     方針/ほうしん 予算/よさん 法案/ほうあん 制度/せいど 条約/じょうやく 政策/せいさく
matter:     問題/もんだい 原因/げんいん 理由/りゆう 事情/じじょう 経緯/けいい 状況/じょうきょう 秘密/ひみつ 真相/しんそう
opinion:    意見/いけん 考え/かんがえ 感想/かんそう 希望/きぼう 結論/けつろん
result:     結果/けっか 成績/せいせき 成果/せいか 判決/はんけつ
money:      金/かね 給料/きゅうりょう 家賃/やちん 税金/ぜいきん 補助金/ほじょきん 費用/ひよう 代金/だいきん
weather:    雨/あめ 雪/ゆき
disaster:   地震/じしん 火事/かじ 洪水/こうずい 事故/じこ
wind:       台風/たいふう 風/かぜ 嵐/あらし
"""

# Groups of classes that frames name.
_GROUPS: dict[str, str] = {
    "child": "learner 少年 少女 息子 娘 弟 妹",
    "grown": "official business worker driver cook police doctor scholar media artist family",
    "human": "grown learner public patient suspect",
    "org": "company authority society",
    "agent": "human org",
    "leader": "official company authority society 社長 部長 店長 編集者 監督",
    "politics": "official authority",
    "food": "fresh dish",
    "paper": "writing document book",
    "portable": "thing cargo document book",
    "plant": "flower crop",
    "creature": "animal wild",
    "event": "meeting festival",
    "fact": "matter opinion result",
    "measure": "plan policy",
    "place": "city facility home",
    "spot": "facility store land nature",
}

_POS_SUB: dict[str, str] = {"city": "地名"}

# Verbal nouns among the nouns (JUMAN サ変名詞); as event nouns they can carry cases without being targets.
_VERBAL_NOUNS = frozenset(
    ["会議", "交渉", "授業", "講演", "選挙", "試合", "提案", "計画", "料理", "電話", "希望", "結論"]
)

# What a document is about: new people and things come mostly from the classes of its scene.
_SCENES: dict[str, str] = {
    "politics": "politics media 住民 measure meeting opinion result 税金 補助金 building 選挙",
    "school": "learner scholar family book writing document 学校 大学 図書館 授業 試合 講演 成績 music matter",
    "hospital": "doctor patient family 病院 medicine matter result 住民 金 家",
    "kitchen": "cook family 客 店員 店長 fresh dish drink fragile home store 市場 lodging",
    "transport": "driver worker vehicle cargo facility nature machine weather disaster 乗客 観光客",
    "office": "business company document machine money plan meeting store opinion cargo",
    "farm": "農民 family animal wild crop flower land nature weather vehicle fresh 村",
    "crime": "police suspect public thing 金 車 自転車 city document matter disaster",
    "arts": "artist media public painting music show festival 美術館 劇場 book writing",
    "building": "company 大工 技師 作業員 職人 authority 住民 building cargo machine land plan disaster wind",
    "travel": "public family lodging city nature vehicle thing cargo food 写真 地図 切符 festival",
}

# How a known organisation is called again: 同社 and the like, with its reading.
_ANAPHORS: dict[str, tuple[str, str]] = {
    "会社": ("同社", "どうしゃ"),
    "新聞社": ("同社", "どうしゃ"),
    "出版社": ("同社", "どうしゃ"),
    "工務店": ("同社", "どうしゃ"),
    "銀行": ("同行", "どうこう"),
    "県": ("同県", "どうけん"),
    "市役所": ("同市", "どうし"),
    "大学": ("同大", "どうだい"),
}

# Predicates. Columns: base form (verbal noun for する) | reading | class | ga | o | ni | notes
# class: last kana row of a consonant-stem verb, 促 (行く), 一 (vowel stem), する, 来.
# ni: "?" after the classes: the argument is often left out because nothing is meant.
# notes: new = o comes into being; gone = o is used up; got = o passes to the subject; given = o passes on;
#        move = the subject changes place; state = ている is natural; auto = nobody does it on purpose;
#        long = it lasts, so that something else can happen meanwhile (ながら); nopass = its passive is odd;
#        end = nothing follows it in the sentence; react = what one does because of something else;
#        from = somebody can be named with から
_VERBS = """
行く      |いく        |促  |human                         |                              |place facility lodging  |move
来る      |くる        |来  |human                         |                              |place facility          |move
帰る      |かえる      |ラ  |human                         |                              |home city               |move
戻る      |もどる      |ラ  |human animal                  |                              |home city facility 部屋 台所|move
入る      |はいる      |ラ  |human creature                |                              |facility store lodging 森|move
着く      |つく        |カ  |human vehicle                 |                              |駅 港 空港 city 会場 lodging|move
向かう    |むかう      |ワ  |human vehicle                 |                              |city facility nature    |move
泊まる    |とまる      |ラ  |human                         |                              |lodging                 |move
残る      |のこる      |ラ  |human                         |                              |place facility          |
住む      |すむ        |マ  |human                         |                              |city home               |state
登る      |のぼる      |ラ  |human 猿                      |                              |山 丘 塔 松             |move
乗る      |のる        |ラ  |human                         |                              |バス 電車 船 タクシー 飛行機 自転車 馬|
近づく    |ちかづく    |カ  |human creature vehicle        |                              |human creature building 港 空港 駅|
逃げる    |にげる      |一  |suspect creature 男           |                              |nature 空港 町 港       |move
集まる    |あつまる    |ラ  |住民 学生 生徒 議員 観光客 若者 乗客 農民|                              |公園 会場 学校 駅 港 event|
通う      |かよう      |ワ  |learner patient family        |                              |学校 病院 図書館 大学   |
勤める    |つとめる    |一  |grown                         |                              |company facility authority|state
出発      |しゅっぱつ  |する|human vehicle                 |                              |                        |move
到着      |とうちゃく  |する|human vehicle                 |                              |place facility          |move auto
会う      |あう        |ワ  |human                         |                              |human                   |
従う      |したがう    |ワ  |agent                         |                              |measure                 |
応じる    |おうじる    |一  |agent                         |                              |交渉 提案 希望          |
驚く      |おどろく    |カ  |human                         |                              |fact disaster           |auto react
悩む      |なやむ      |マ  |human                         |                              |matter                  |auto
慣れる    |なれる      |一  |human animal                  |                              |machine 制度 規則       |auto
気づく    |きづく      |カ  |human                         |                              |matter disaster         |auto
参加      |さんか      |する|agent                         |                              |event                   |
出席      |しゅっせき  |する|human                         |                              |meeting                 |
反対      |はんたい    |する|住民 society politics scholar business media learner|                              |measure                 |
賛成      |さんせい    |する|住民 society politics scholar business media learner|                              |measure opinion         |
満足      |まんぞく    |する|human                         |                              |result dish             |auto react
抗議      |こうぎ      |する|住民 society 学生 患者 客     |                              |authority company leader|react
協力      |きょうりょく|する|agent                         |                              |agent                   |
電話      |でんわ      |する|human                         |                              |human company           |
質問      |しつもん    |する|human                         |                              |official scholar doctor business|
反論      |はんろん    |する|official scholar media authority|                              |opinion 評論家 大臣 記者|
休む      |やすむ      |マ  |human animal                  |                              |                        |
働く      |はたらく    |カ  |grown                         |                              |                        |long
眠る      |ねむる      |ラ  |human animal                  |                              |                        |auto end
泣く      |なく        |カ  |child 女性 娘                 |                              |                        |auto long end react
笑う      |わらう      |ワ  |human                         |                              |                        |auto long react
怒る      |おこる      |ラ  |human                         |                              |                        |auto react
喜ぶ      |よろこぶ    |バ  |human                         |                              |                        |auto react
困る      |こまる      |ラ  |agent                         |                              |                        |auto react
謝る      |あやまる    |ラ  |human company                 |                              |human                   |react
走る      |はしる      |ラ  |child animal vehicle          |                              |                        |long
黙る      |だまる      |ラ  |human                         |                              |                        |end
立つ      |たつ        |タ  |human                         |                              |                        |end
倒れる    |たおれる    |一  |human 塔 松 看板              |                              |                        |auto end
回復      |かいふく    |する|patient                       |                              |                        |auto
失敗      |しっぱい    |する|agent                         |                              |交渉 選挙 試合          |auto
勝つ      |かつ        |タ  |learner 与党 野党             |                              |試合 選挙 大会          |auto
壊れる    |こわれる    |一  |machine vehicle 橋 家具       |                              |                        |auto
動く      |うごく      |カ  |machine vehicle               |                              |                        |auto
止まる    |とまる      |ラ  |machine vehicle               |                              |                        |auto
割れる    |われる      |一  |fragile                       |                              |                        |auto end
燃える    |もえる      |一  |building 倉庫 木材 家         |                              |                        |auto
沈む      |しずむ      |マ  |船                            |                              |湖                      |auto
枯れる    |かれる      |一  |plant                         |                              |                        |auto end
咲く      |さく        |カ  |花 桜 菊 ばら                 |                              |庭 花壇 公園            |auto
育つ      |そだつ      |タ  |plant animal                  |                              |                        |auto
腐る      |くさる      |ラ  |fresh                         |                              |                        |gone auto
売れる    |うれる      |一  |book painting dish 商品 fresh |                              |                        |auto
届く      |とどく      |カ  |手紙 cargo 代金 資料          |                              |human company           |auto
足りる    |たりる      |一  |money food 部品               |                              |                        |auto
遅れる    |おくれる    |一  |vehicle human                 |                              |event?                  |auto
始まる    |はじまる    |ラ  |event                         |                              |                        |auto
終わる    |おわる      |ラ  |event                         |                              |                        |auto
続く      |つづく      |カ  |event disaster                |                              |                        |auto
降る      |ふる        |ラ  |weather                       |                              |place nature?           |auto
起きる    |おきる      |一  |disaster                      |                              |                        |auto
強まる    |つよまる    |ラ  |wind                          |                              |                        |auto
増える    |ふえる      |一  |money 観光客 学生 wild 乗客   |                              |                        |auto
決まる    |きまる      |ラ  |measure                       |                              |                        |auto
完成      |かんせい    |する|building painting show        |                              |                        |auto
成立      |せいりつ    |する|法案 予算 条約                |                              |                        |auto
上がる    |あがる      |ラ  |money 成績                    |                              |                        |auto
買う      |かう        |ワ  |human                         |food drink thing book flower 車 自転車 電話 冷蔵庫 時計 絵|                        |got from
売る      |うる        |ラ  |商人 店員 農民 漁師 business  |food drink book flower 絵 時計 車 thing|human?                  |given
食べる    |たべる      |一  |human                         |food                          |                        |gone long
飲む      |のむ        |マ  |human                         |drink medicine スープ         |                        |gone long
焼く      |やく        |カ  |cook family 職人              |魚 肉 パン 餅                 |                        |
洗う      |あらう      |ワ  |human                         |皿 茶碗 野菜 果物 車 馬 窓    |                        |long
作る      |つくる      |ラ  |human                         |dish 人形 家具 道具 地図 曲 看板|                        |new
料理      |りょうり    |する|cook family                   |fresh                         |                        |
書く      |かく        |カ  |human                         |writing                       |                        |new
描く      |えがく      |カ  |artist child                  |painting                      |                        |new
撮る      |とる        |ラ  |artist media human            |写真 映画 番組                |                        |new
読む      |よむ        |マ  |human                         |writing book 書類 資料 名簿 地図 契約書|                        |long
歌う      |うたう      |ワ  |歌手 child family             |music                         |                        |long
見る      |みる        |一  |human                         |show painting 写真 試合 地図  |                        |long nopass
聞く      |きく        |カ  |human                         |music opinion 事情 講演       |                        |long nopass
調べる    |しらべる    |一  |police scholar media doctor 技師 authority 大使 長官|paper matter machine cargo 船 車|                        |long
探す      |さがす      |サ  |human                         |thing document book 犬 猫 犯人|                        |long
見つける  |みつける    |一  |human                         |thing document book animal 犯人|                        |got
拾う      |ひろう      |ワ  |human                         |財布 鍵 傘 帽子 指輪 小鳥 猫  |                        |got
捨てる    |すてる      |一  |human                         |thing fragile 家具 書類 手紙 日記|                        |gone
忘れる    |わすれる    |一  |human                         |傘 かばん 鍵 眼鏡 帽子 弁当 書類 財布|電車 バス タクシー 駅 図書館|auto nopass
なくす    |なくす      |サ  |human                         |傘 鍵 財布 指輪 書類 切符 眼鏡|                        |gone auto nopass
盗む      |ぬすむ      |マ  |suspect 男                    |財布 指輪 絵 金 車 自転車     |                        |got from
隠す      |かくす      |サ  |human                         |金 手紙 指輪 日記 書類        |棚 机 部屋 物置 庭 森   |
置く      |おく        |カ  |human                         |thing cargo document book fragile medicine|棚 机 部屋 台所 物置 倉庫 事務所|
並べる    |ならべる    |一  |business worker cook 司書 商人|皿 茶碗 椅子 商品 book fresh dish|store 市場 会場         |
移す      |うつす      |サ  |human company                 |cargo machine fragile 本 資料 |spot                    |
運ぶ      |はこぶ      |バ  |human 馬                      |cargo machine thing fresh fragile|facility store lodging  |
積む      |つむ        |マ  |worker driver 商人            |cargo fresh                   |vehicle                 |
包む      |つつむ      |マ  |human                         |菓子 弁当 皿 花 人形          |                        |
開ける    |あける      |一  |human                         |箱 袋 窓 倉庫 かばん 手紙     |                        |
使う      |つかう      |ワ  |human company                 |machine 道具 vehicle 金 地図  |                        |
直す      |なおす      |サ  |worker driver family          |machine vehicle 傘 椅子 眼鏡 網 家具 橋|                        |
修理      |しゅうり    |する|worker company driver         |machine vehicle 橋 堤防       |                        |
点検      |てんけん    |する|worker driver 駅員 警備員     |machine vehicle 橋 トンネル 倉庫|                        |
止める    |とめる      |一  |human                         |machine 車 バス 自転車 船 馬  |                        |
運転      |うんてん    |する|driver human                  |車 バス 電車 トラック         |                        |long
降りる    |おりる      |一  |human                         |電車 バス 車 船 馬            |                        |move nopass
渡す      |わたす      |サ  |human                         |portable food 金 代金 medicine writing|human                   |given
送る      |おくる      |ラ  |agent                         |writing document cargo book money food|human company           |given
届ける    |とどける    |一  |human                         |荷物 商品 財布 弁当 手紙 document medicine|human 事務所 警察 病院  |given
配る      |くばる      |ラ  |leader scholar 店員 駅員 cook |document dish 新聞 毛布 水 medicine|human                   |given
見せる    |みせる      |一  |human                         |document writing painting thing 成績|human                   |
貸す      |かす        |サ  |human 銀行 図書館             |金 book 傘 道具 毛布 車 自転車|human                   |given
借りる    |かりる      |一  |human company                 |金 book 車 自転車 傘 道具 毛布|                        |got nopass from
返す      |かえす      |サ  |human                         |money book 傘 道具 財布       |human 図書館 銀行       |given
預ける    |あずける    |一  |human                         |荷物 鍵 金 かばん animal      |human 銀行 旅館         |given
売り込む  |うりこむ    |マ  |business 商人 company         |商品 machine 企画 案          |company society human   |
受け取る  |うけとる    |ラ  |agent                         |手紙 報告書 原稿 document money cargo|                        |got from
払う      |はらう      |ワ  |human company                 |money                         |human authority company |given
集める    |あつめる    |一  |human society                 |document money opinion 花     |                        |got
教える    |おしえる    |一  |human                         |matter music 事情             |human                   |
伝える    |つたえる    |一  |agent                         |fact                          |agent                   |
話す      |はなす      |サ  |human                         |fact                          |human                   |long
尋ねる    |たずねる    |一  |human                         |matter opinion                |human                   |
説明      |せつめい    |する|politics scholar business company society media|measure matter result         |agent                   |long
報告      |ほうこく    |する|business worker police scholar authority|fact event disaster           |leader                  |
相談      |そうだん    |する|human                         |matter 計画 企画 案           |human                   |
提出      |ていしゅつ  |する|scholar business learner society company politics media|報告書 論文 原稿 計画 案 資料 法案 予算|authority 大学 company 教授 部長 大臣|given
提案      |ていあん    |する|politics scholar business society company media|plan 方針 制度 政策           |leader 住民 会議        |
示す      |しめす      |サ  |official scholar authority leader|measure opinion 地図 資料     |agent                   |
発表      |はっぴょう  |する|politics scholar media artist company society|measure result writing opinion|                        |
公開      |こうかい    |する|org 美術館 artist             |painting show document        |                        |
出版      |しゅっぱん  |する|出版社 media                  |小説 詩 絵本 辞書 雑誌        |                        |
批判      |ひはん      |する|住民 society politics scholar media learner|measure official              |                        |
支持      |しじ        |する|住民 society 議員 与党 野党 学生|measure official opinion      |                        |
検討      |けんとう    |する|leader scholar                |measure opinion               |                        |
決める    |きめる      |一  |leader                        |measure                       |                        |
認める    |みとめる    |一  |leader 容疑者 検事            |measure opinion result        |                        |
見直す    |みなおす    |サ  |leader                        |measure 原稿                  |                        |
撤回      |てっかい    |する|leader                        |measure opinion               |                        |
開く      |ひらく      |カ  |leader scholar artist         |meeting festival              |                        |new
準備      |じゅんび    |する|leader scholar learner artist |event                         |                        |
中止      |ちゅうし    |する|leader                        |event                         |                        |
見物      |けんぶつ    |する|human                         |festival 塔 寺 橋             |                        |nopass
取材      |しゅざい    |する|media 新聞社                  |event disaster human          |                        |
訪れる    |おとずれる  |一  |human                         |place 美術館 寺               |                        |move nopass
訪問      |ほうもん    |する|official scholar business     |city company society facility |                        |move nopass
出る      |でる        |一  |human vehicle                 |facility 部屋 家 lodging      |                        |move nopass
離れる    |はなれる    |一  |human vehicle                 |place                         |                        |move nopass
歩く      |あるく      |カ  |human animal                  |公園 海岸 森 町 橋            |                        |long nopass
渡る      |わたる      |ラ  |human vehicle animal          |橋                            |                        |move nopass
呼ぶ      |よぶ        |バ  |human                         |human                         |                        |
誘う      |さそう      |ワ  |human                         |human                         |festival 集会 授業      |
招く      |まねく      |カ  |leader scholar family artist  |human                         |event 家                |
助ける    |たすける    |一  |human 犬                      |human animal                  |                        |react
手伝う    |てつだう    |ワ  |human                         |human                         |                        |nopass react
褒める    |ほめる      |一  |human                         |human painting dish 成績 writing|                        |react
叱る      |しかる      |ラ  |grown                         |child 社員 店員 犬 秘書       |                        |react
励ます    |はげます    |サ  |human                         |human                         |                        |react
慰める    |なぐさめる  |一  |human                         |human                         |                        |react
待つ      |まつ        |タ  |human                         |human バス 電車 船 結果 判決  |                        |long nopass
追う      |おう        |ワ  |police human 犬               |suspect creature 船 車        |                        |long
見送る    |みおくる    |ラ  |human                         |human vehicle                 |                        |
迎える    |むかえる    |一  |human 旅館                    |human                         |                        |
案内      |あんない    |する|human                         |human                         |facility nature lodging |nopass
乗せる    |のせる      |一  |driver family worker          |human animal cargo            |車 バス 船 トラック タクシー|nopass
雇う      |やとう      |ワ  |社長 店長 company 農民        |worker driver cook learner 若者|                        |react
逮捕      |たいほ      |する|警官 刑事 警察                |suspect 男                    |                        |react
診察      |しんさつ    |する|doctor                        |patient family child 老人 animal|                        |
治療      |ちりょう    |する|doctor                        |patient 老人 animal           |                        |react
飼う      |かう        |ワ  |human                         |animal                        |                        |state nopass
育てる    |そだてる    |一  |農民 庭師 family              |plant animal                  |                        |
植える    |うえる      |一  |農民 庭師 family 住民         |plant                         |land 公園               |
刈る      |かる        |ラ  |農民                          |crop                          |                        |gone
襲う      |おそう      |ワ  |wild wind                     |human animal 村 町            |                        |
撃つ      |うつ        |タ  |警官 農民                     |wild                          |                        |
建てる    |たてる      |一  |大工 company authority 大学   |ビル 住宅 塔 校舎             |land home city          |new
建設      |けんせつ    |する|company authority             |building                      |place land              |new
壊す      |こわす      |サ  |human wind disaster           |machine fragile building 家具 人形|                        |gone
倒す      |たおす      |サ  |wind 作業員                   |松 塔 看板 稲                 |                        |
任せる    |まかせる    |一  |leader                        |event plan 会議               |business scholar worker company|
破る      |やぶる      |ラ  |human company                 |規則 手紙 書類                |                        |
守る      |まもる      |ラ  |agent                         |規則 秘密 村 条約 森          |                        |nopass react
許す      |ゆるす      |サ  |human                         |human                         |                        |react
"""

# Adjectives. Columns: base form | reading | class | ga (what has the property)
# class: ア (イ形容詞アウオ段), イ (イ形容詞イ段), ナ (ナ形容詞), ノ (ナノ形容詞)
_ADJECTIVES = """
古い       |ふるい     |ア|thing machine vehicle building book painting facility
新しい     |あたらしい |イ|thing machine vehicle building book plan 学校 病院
大きい     |おおきい   |イ|thing machine vehicle building cargo fragile creature 魚
小さい     |ちいさい   |イ|thing machine vehicle fragile animal fresh home
重い       |おもい     |ア|cargo machine 箱 かばん 辞書
高い       |たかい     |ア|塔 ビル 家賃 税金 山
安い       |やすい     |ア|food 家賃 商品 book
珍しい     |めずらしい |イ|creature flower painting 魚
美しい     |うつくしい |イ|flower painting music nature 鏡
若い       |わかい     |ア|worker scholar artist doctor media 社員 議員
忙しい     |いそがしい |イ|business doctor cook official 主婦
熱心だ     |ねっしんだ |ナ|scholar media artist worker learner 店員
真面目だ   |まじめだ   |ナ|learner worker 社員 店員 運転手
有能だ     |ゆうのうだ |ナ|business 弁護士 刑事 検事 技師
優しい     |やさしい   |イ|family doctor 教師 店員
厳しい     |きびしい   |イ|scholar business 監督 規則
難しい     |むずかしい |イ|matter 論文 曲 交渉 授業
激しい     |はげしい   |イ|weather wind 地震
冷たい     |つめたい   |ア|drink 風 雨
甘い       |あまい     |ア|菓子 果物 みかん りんご
面白い     |おもしろい |ア|book show 小説 講演 祭り
有名だ     |ゆうめいだ |ナ|artist media scholar music painting 寺 料理人
静かだ     |しずかだ   |ナ|公園 図書館 home 旅館 森
重要だ     |じゅうようだ|ナ|matter plan document meeting
必要だ     |ひつようだ |ノ|money machine document plan
便利だ     |べんりだ   |ナ|machine vehicle 辞書 地図
元気だ     |げんきだ   |ナ|family child 老人 animal
親切だ     |しんせつだ |ナ|public worker 店員 駅員
新鮮だ     |しんせんだ |ナ|fresh 牛乳
立派だ     |りっぱだ   |ナ|building facility 成績
複雑だ     |ふくざつだ |ナ|machine matter 制度
"""

# Adverbs of manner and frequency (JUMAN 副詞).
_ADVERBS = """
すぐ/すぐ 再び/ふたたび 早速/さっそく 急いで/いそいで 何度も/なんども ようやく/ようやく 直ちに/ただちに 改めて/あらためて 自ら/みずから
"""
_SENTENCE_ADVERBS = """
やがて/やがて 結局/けっきょく もちろん/もちろん まず/まず すでに/すでに ついに/ついに
"""
_CONJUNCTIONS = (
    "しかし/しかし そこで/そこで また/また だが/だが ところが/ところが さらに/さらに そして/そして"
)

# Time nouns (時相名詞); those of the second table also take に.
_TIMES = """
昨日/きのう 今朝/けさ 翌日/よくじつ 翌朝/よくあさ 昨夜/さくや 先週/せんしゅう 先月/せんげつ 去年/きょねん 今年/ことし 当時/とうじ
"""
_TIMES_WITH_NI = "夕方/ゆうがた 夜/よる 朝/あさ 午後/ごご 午前/ごぜん 春/はる 秋/あき 冬/ふゆ"

_SURNAMES = """
田中/たなか 鈴木/すずき 佐藤/さとう 高橋/たかはし 伊藤/いとう 渡辺/わたなべ 山本/やまもと 中村/なかむら 小林/こばやし
加藤/かとう 吉田/よしだ 山田/やまだ 佐々木/ささき 井上/いのうえ 木村/きむら 清水/しみず 斎藤/さいとう 森田/もりた
"""

# Counters: class or group -> counter and reading (after a numeral of 3 to 12).
_COUNTERS = """
learner:人/にん worker:人/にん 客:人/にん 住民:人/にん 乗客:人/にん 観光客:人/にん 社員:人/にん 議員:人/にん 患者:人/にん 若者:人/にん 車:台/だい バス:台/だい トラック:台/だい 自転車:台/だい 機械:台/だい 時計:個/こ document:枚/まい book:冊/さつ cargo:個/こ fragile:枚/まい fresh:個/こ animal:頭/とう
"""

# Verbs that take a clause. Columns: base form (verbal noun for する) | reading | class | ga | ni | kind | whose
# kind: と = what is said (a plain clause + と), 命 = an order (「…しろ」と), よう = ように, こと = ことを,
#       思 = what is thought (と), 志 = what is intended (…しようと)
# whose: who is the unexpressed subject of the embedded clause (ga or ni of this verb), or other = somebody else
_CLAUSE_VERBS = """
約束       |やくそく   |する|human           |human           |と  |ga
誓う       |ちかう     |ワ|official artist learner suspect|human|と  |ga
言う       |いう       |ワ|human            |human           |と  |other
話す       |はなす     |サ|human            |human           |と  |ga
説明       |せつめい   |する|agent          |agent           |と  |ga
報告       |ほうこく   |する|business worker police scholar|leader|と  |other
伝える     |つたえる   |一|human            |human           |と  |other
主張       |しゅちょう |する|agent          |                |と  |ga
言う       |いう       |ワ|human            |human           |命  |ni
命じる     |めいじる   |一|grown            |human           |命  |ni
叫ぶ       |さけぶ     |バ|human            |human           |命  |ni
頼む       |たのむ     |マ|human            |human           |よう|ni
命じる     |めいじる   |一|leader           |human company   |よう|ni
勧める     |すすめる   |一|human            |human           |よう|ni
求める     |もとめる   |一|agent            |agent           |よう|ni
指示       |しじ       |する|leader doctor  |human           |よう|ni
要求       |ようきゅう |する|住民 society 客 |authority company leader       |よう|ni
決める     |きめる     |一|agent            |                |こと|ga
諦める     |あきらめる |一|human            |                |こと|ga
断る       |ことわる   |ラ|agent            |                |こと|ga
許す       |ゆるす     |サ|leader family    |human           |こと|ni
禁じる     |きんじる   |一|authority family scholar doctor|human |こと|ni
知る       |しる       |ラ|human            |                |こと|other
後悔       |こうかい   |する|human          |                |こと|ga
忘れる     |わすれる   |一|human            |                |こと|ga
思う       |おもう     |ワ|human            |                |思  |other
考える     |かんがえる |一|human            |                |志  |ga
思う       |おもう     |ワ|human            |                |志  |ga
聞く       |きく       |カ|human            |                |思  |other
"""

# Generic statements of editorials. Columns: base form | reading | class
_EVALUATIONS = "必要だ/ひつようだ/ナノ形容詞 大切だ/たいせつだ/ナ形容詞 重要だ/じゅうようだ/ナ形容詞 難しい/むずかしい/イ形容詞イ段"

_VERB_CLASSES: dict[str, str] = {
    "促": "子音動詞カ行促音便形",
    "一": VOWEL,
    "する": SURU,
    "来": KURU,
}
_ADJECTIVE_CLASSES: dict[str, str] = {
    "ア": "イ形容詞アウオ段",
    "イ": "イ形容詞イ段",
    "ナ": "ナ形容詞",
    "ノ": "ナノ形容詞",
}


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun with its semantic class; ``anaphor`` is how a known entity of it is called again (同社)."""

    surface: str
    reading: str
    semantic_class: str
    pos_sub: str = "普通名詞"
    anaphor: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Predicate:
    """A verb or adjective with its case frame: for each case the nouns that may fill it.

    ``optional`` names the cases that may stay empty; ``notes`` are those of the verb table.
    """

    word: Word
    frame: dict[str, frozenset[str]] = field(hash=False)
    optional: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The base form, or the verbal noun of one with する."""
        return self.word.verbal_noun[0] if self.word.verbal_noun else self.word.lemma

    @property
    def is_adjective(self) -> bool:
        """Whether the predicate is an adjective."""
        return self.word.pos == "形容詞"

    def accepts(self, case: str, noun: Noun) -> bool:
        """Tell whether the selectional restriction of ``case`` allows ``noun``."""
        return noun.surface in self.frame.get(case, frozenset())


@dataclass(frozen=True, slots=True, eq=False)
class ClauseVerb:
    """A verb that takes a clause; ``kind`` and ``whose`` as in the table above."""

    predicate: Predicate
    kind: str
    whose: str

    @property
    def is_about_past(self) -> bool:
        """Whether what the clause says has happened (後悔する)."""
        return self.predicate.word.verbal_noun == ("後悔", "こうかい")


def _pairs(table: str) -> tuple[tuple[str, str], ...]:
    words = (word.split("/") for word in table.split())
    return tuple((surface, reading) for surface, reading in words)


def _read_nouns() -> dict[str, Noun]:
    nouns: dict[str, Noun] = {}
    for line in _NOUNS.strip().splitlines():
        name, words = line.split(":")
        for surface, reading in _pairs(words):
            pos_sub = "サ変名詞" if surface in _VERBAL_NOUNS else _POS_SUB.get(name, "普通名詞")
            nouns[surface] = Noun(surface, reading, name, pos_sub, _ANAPHORS.get(surface))
    return nouns


NOUNS = _read_nouns()
_SEMANTIC_CLASSES: dict[str, set[str]] = {}
for _noun in NOUNS.values():
    _SEMANTIC_CLASSES.setdefault(_noun.semantic_class, set()).add(_noun.surface)


@functools.cache
def members(names: str) -> frozenset[str]:
    """Return the nouns that a list of classes, groups and nouns stands for."""
    found: set[str] = set()
    for name in names.split():
        if name in _GROUPS:
            found |= members(_GROUPS[name])
        elif name in NOUNS:
            found.add(name)
        else:
            found |= _SEMANTIC_CLASSES[name]
    return frozenset(found)


def _rows(table: str) -> list[list[str]]:
    return [[column.strip() for column in line.split("|")] for line in table.strip().splitlines()]


def _verb_word(lemma: str, reading: str, name: str) -> Word:
    conjugation = _VERB_CLASSES.get(name) or f"子音動詞{name}行"
    if conjugation == SURU:
        return Word("する", "する", "動詞", SURU, (lemma, reading))
    return Word(lemma, reading, "動詞", conjugation)


def _read_verb(row: list[str]) -> Predicate:
    lemma, reading, name, ga, o, ni, notes = row
    frame = {
        case: members(names.rstrip("?"))
        for case, names in zip(CASES, (ga, o, ni), strict=True)
        if names.rstrip("?")
    }
    optional = frozenset({NI}) if ni.endswith("?") else frozenset()
    return Predicate(_verb_word(lemma, reading, name), frame, optional, frozenset(notes.split()))


def _read_adjective(row: list[str]) -> Predicate:
    lemma, reading, name, ga = row
    return Predicate(Word(lemma, reading, "形容詞", _ADJECTIVE_CLASSES[name]), {GA: members(ga)})


def _read_clause_verb(row: list[str]) -> ClauseVerb:
    lemma, reading, name, ga, ni, kind, whose = row
    frame = {case: members(names) for case, names in ((GA, ga), (NI, ni)) if names}
    return ClauseVerb(Predicate(_verb_word(lemma, reading, name), frame), kind, whose)


VERBS = tuple(_read_verb(row) for row in _rows(_VERBS))
ADJECTIVES = tuple(_read_adjective(row) for row in _rows(_ADJECTIVES))
CLAUSE_VERBS = tuple(_read_clause_verb(row) for row in _rows(_CLAUSE_VERBS))
EVALUATIONS = tuple(
    Predicate(Word(lemma, reading, "形容詞", name), {})
    for lemma, reading, name in (entry.split("/") for entry in _EVALUATIONS.split())
)
ADVERBS = _pairs(_ADVERBS)
SENTENCE_ADVERBS = _pairs(_SENTENCE_ADVERBS)
CONJUNCTIONS = _pairs(_CONJUNCTIONS)
TIMES = _pairs(_TIMES)
TIMES_WITH_NI = _pairs(_TIMES_WITH_NI)
SURNAMES = _pairs(_SURNAMES)
HUMANS = members("human")
AGENTS = members("agent")
LEADERS = members("leader org")
CAUSERS = members("official leader doctor 社長 部長 課長 店長 船長 監督 教師 教授 母 父 祖父")
CAUSEES = members("worker cook learner 社員 店員 秘書 船員 運転手 記者 看護師 息子 娘 弟 妹")
PLACES = members("place")
THINGS = frozenset(NOUNS) - AGENTS - PLACES
SCENES = tuple(members(names) for names in _SCENES.values())
POLITICAL_SCENES = tuple(members(_SCENES[name]) for name in ("politics", "office", "building"))
SITES = members("facility")
CITIES = members("city")
COUNTERS: dict[str, tuple[str, str]] = {
    noun: _pairs(counter)[0]
    for name, counter in (entry.split(":") for entry in _COUNTERS.split())
    for noun in members(name)
}
