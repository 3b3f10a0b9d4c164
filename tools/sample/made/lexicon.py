# ruff: noqa: E501 (tables: one row, one line)
"""The words of the sample: nouns by semantic class, predicates with their case frames, adverbs, names.

The tables below are the only place where words stand. A class is what selectional restrictions speak of:
a frame names, for each case, the classes (or groups of classes, or single nouns) that may fill it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from made.morphology import I_ADJECTIVE, NA_ADJECTIVE, SURU, Word

GA, WO, NI = "ga", "o", "ni"
CASES = (GA, WO, NI)

# class: nouns
_NOUNS = """
official:   市長 知事 大臣 首相 議員 町長 大使 長官
business:   社長 部長 課長 社員 秘書 店長 店員 商人
worker:     技師 職人 大工 駅員 作業員 農民 漁師 庭師
driver:     運転手 船長 船員 操縦士
cook:       料理人 主婦 板前
police:     警官 刑事 検事 警備員
doctor:     医師 看護師 獣医 歯科医
scholar:    教授 学者 研究者 専門家 弁護士 教師 講師 司書
media:      記者 編集者 作家 評論家 詩人
artist:     画家 歌手 俳優 監督 写真家 彫刻家
learner:    学生 生徒 留学生 児童 新人
family:     母 父 兄 姉 弟 妹 祖父 祖母 息子 娘 妻 夫
public:     住民 客 観光客 男 女性 老人 少年 少女 若者 友人
patient:    患者 病人 乗客 被災者
suspect:    犯人 泥棒 容疑者
company:    会社 銀行 新聞社 出版社 工務店
authority:  政府 市役所 委員会 国会 与党 野党 県 警察
society:    組合 大学 研究所 協会 財団
city:       東京 大阪 京都 神戸 名古屋 札幌 福岡 仙台 広島 長崎 横浜 金沢
facility:   駅 港 図書館 病院 学校 公園 空港 会場 工場 事務所 市場 美術館 寺 劇場
lodging:    旅館 宿 民宿 ホテル
store:      倉庫 物置 棚 机 部屋 台所
home:       家 村 町 島 実家
nature:     山 海岸 森 丘 湖 峠
land:       庭 畑 花壇 空き地
thing:      箱 鍵 傘 椅子 道具 かばん 眼鏡 帽子 毛布 財布 袋 人形 指輪 網
fragile:    皿 花瓶 茶碗 鏡 窓
cargo:      荷物 木材 石炭 商品 部品 家具
machine:    機械 装置 電話 冷蔵庫 時計 ポンプ エンジン 信号
vehicle:    車 船 バス 電車 トラック 自転車 飛行機 タクシー
fresh:      魚 野菜 果物 卵 肉 りんご みかん 米
dish:       料理 弁当 菓子 パン 餅 スープ
drink:      酒 水 茶 牛乳 コーヒー
medicine:   薬 目薬 痛み止め
writing:    手紙 記事 論文 報告書 小説 日記 原稿 詩
document:   書類 地図 資料 契約書 名簿 切符 写真
book:       本 新聞 雑誌 辞書 教科書 絵本
painting:   絵 肖像画 風景画 看板
music:      歌 曲 民謡
show:       映画 芝居 番組
animal:     犬 猫 馬 牛 羊 小鳥
wild:       熊 猿 鹿 狼 猪
flower:     花 桜 菊 ばら 苗 松
crop:       稲 麦 大豆
building:   橋 塔 ビル 住宅 ダム 堤防 トンネル 校舎
meeting:    会議 交渉 集会 授業 講演 式典 総会
festival:   祭り 試合 音楽会 展覧会 大会 選挙
plan:       計画 案 提案 規則 企画
policy:     方針 予算 法案 制度 条約 政策
matter:     問題 原因 理由 事情 経緯 状況 秘密 真相
opinion:    意見 考え 感想 希望 結論
result:     結果 成績 成果 判決
money:      金 給料 家賃 税金 補助金 費用 代金
weather:    雨 雪
disaster:   地震 火事 洪水 事故
wind:       台風 風 嵐
verdict:    無罪 有罪
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

# Verbal nouns among the nouns; as event nouns they can carry cases without being targets.
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
    "crime": "verdict police suspect public thing 金 車 自転車 city document matter disaster",
    "arts": "artist media public painting music show festival 美術館 劇場 book writing",
    "building": "company 大工 技師 作業員 職人 authority 住民 building cargo machine land plan disaster wind",
    "travel": "public family lodging city nature vehicle thing cargo food 写真 地図 切符 festival",
}

# How a known organisation is called again: 同社 and the like.
_ANAPHORS = {
    "会社": "同社",
    "新聞社": "同社",
    "出版社": "同社",
    "工務店": "同社",
    "銀行": "同行",
    "県": "同県",
    "市役所": "同市",
    "大学": "同大",
}

# Predicates. Columns: base form (verbal noun for する) | class | ga | o | ni | notes
# class: last kana row of a consonant-stem verb, 促 (行く), 一 (vowel stem), する, 来.
# ni: "?" after the classes: the argument is often left out because nothing is meant.
# notes: new = o comes into being; gone = o is used up; got = o passes to the subject; given = o passes on;
#        move = the subject changes place; state = ている is natural; auto = nobody does it on purpose;
#        long = it lasts, so that something else can happen meanwhile (ながら); nopass = its passive is odd;
#        end = nothing follows it in the sentence; react = what one does because of something else;
#        from = somebody can be named with から
_VERBS = """
行く      |促  |human                         |                              |place facility lodging  |move
来る      |来  |human                         |                              |place facility          |move
帰る      |ラ  |human                         |                              |home city               |move
戻る      |ラ  |human animal                  |                              |home city facility 部屋 台所|move
入る      |ラ  |human creature                |                              |facility store lodging 森|move
着く      |カ  |human vehicle                 |                              |駅 港 空港 city 会場 lodging|move
向かう    |ワ  |human vehicle                 |                              |city facility nature    |move
泊まる    |ラ  |human                         |                              |lodging                 |move
残る      |ラ  |human                         |                              |place facility          |
住む      |マ  |human                         |                              |city home               |state
登る      |ラ  |human 猿                      |                              |山 丘 塔 松             |move
乗る      |ラ  |human                         |                              |バス 電車 船 タクシー 飛行機 自転車 馬|
近づく    |カ  |human creature vehicle        |                              |human creature building 港 空港 駅|
逃げる    |一  |suspect creature 男           |                              |nature 空港 町 港       |move
集まる    |ラ  |住民 学生 生徒 議員 観光客 若者 乗客 農民|                              |公園 会場 学校 駅 港 event|
通う      |ワ  |learner patient family        |                              |学校 病院 図書館 大学   |
勤める    |一  |grown                         |                              |company facility authority|state
出発      |する|human vehicle                 |                              |                        |move
到着      |する|human vehicle                 |                              |place facility          |move auto
会う      |ワ  |human                         |                              |human                   |
従う      |ワ  |agent                         |                              |measure                 |
応じる    |一  |agent                         |                              |交渉 提案 希望          |
驚く      |カ  |human                         |                              |fact disaster           |auto react
悩む      |マ  |human                         |                              |matter                  |auto
慣れる    |一  |human animal                  |                              |machine 制度 規則       |auto
気づく    |カ  |human                         |                              |matter disaster         |auto
参加      |する|agent                         |                              |event                   |
出席      |する|human                         |                              |meeting                 |
反対      |する|住民 society politics scholar business media learner|                              |measure                 |
賛成      |する|住民 society politics scholar business media learner|                              |measure opinion         |
満足      |する|human                         |                              |result dish             |auto react
抗議      |する|住民 society 学生 患者 客     |                              |authority company leader|react
協力      |する|agent                         |                              |agent                   |
電話      |する|human                         |                              |human company           |
質問      |する|human                         |                              |official scholar doctor business|
反論      |する|official scholar media authority|                              |opinion 評論家 大臣 記者|
休む      |マ  |human animal                  |                              |                        |
働く      |カ  |grown                         |                              |                        |long
眠る      |ラ  |human animal                  |                              |                        |auto end
泣く      |カ  |child 女性 娘                 |                              |                        |auto long end react
笑う      |ワ  |human                         |                              |                        |auto long react
怒る      |ラ  |human                         |                              |                        |auto react
喜ぶ      |バ  |human                         |                              |                        |auto react
困る      |ラ  |agent                         |                              |                        |auto react
謝る      |ラ  |human company                 |                              |human                   |react
走る      |ラ  |child animal vehicle          |                              |                        |long
黙る      |ラ  |human                         |                              |                        |end
立つ      |タ  |human                         |                              |                        |end
倒れる    |一  |human 塔 松 看板              |                              |                        |auto end
回復      |する|patient                       |                              |                        |auto
失敗      |する|agent                         |                              |交渉 選挙 試合          |auto
勝つ      |タ  |learner 与党 野党             |                              |試合 選挙 大会          |auto
壊れる    |一  |machine vehicle 橋 家具       |                              |                        |auto
動く      |カ  |machine vehicle               |                              |                        |auto
止まる    |ラ  |machine vehicle               |                              |                        |auto
割れる    |一  |fragile                       |                              |                        |auto end
燃える    |一  |building 倉庫 木材 家         |                              |                        |auto
沈む      |マ  |船                            |                              |湖                      |auto
枯れる    |一  |plant                         |                              |                        |auto end
咲く      |カ  |花 桜 菊 ばら                 |                              |庭 花壇 公園            |auto
育つ      |タ  |plant animal                  |                              |                        |auto
腐る      |ラ  |fresh                         |                              |                        |gone auto
売れる    |一  |book painting dish 商品 fresh |                              |                        |auto
届く      |カ  |手紙 cargo 代金 資料          |                              |human company           |auto
足りる    |一  |money food 部品               |                              |                        |auto
遅れる    |一  |vehicle human                 |                              |event?                  |auto
始まる    |ラ  |event                         |                              |                        |auto
終わる    |ラ  |event                         |                              |                        |auto
続く      |カ  |event disaster                |                              |                        |auto
降る      |ラ  |weather                       |                              |place nature?           |auto
起きる    |一  |disaster                      |                              |                        |auto
強まる    |ラ  |wind                          |                              |                        |auto
増える    |一  |money 観光客 学生 wild 乗客   |                              |                        |auto
決まる    |ラ  |measure                       |                              |                        |auto
なる      |ラ  |suspect 男 doctor 市長 社長   |                              |verdict                 |auto end
完成      |する|building painting show        |                              |                        |auto
成立      |する|法案 予算 条約                |                              |                        |auto
上がる    |ラ  |money 成績                    |                              |                        |auto
買う      |ワ  |human                         |food drink thing book flower 車 自転車 電話 冷蔵庫 時計 絵|                        |got from
売る      |ラ  |商人 店員 農民 漁師 business  |food drink book flower 絵 時計 車 thing|human?                  |given
食べる    |一  |human                         |food                          |                        |gone long
飲む      |マ  |human                         |drink medicine スープ         |                        |gone long
焼く      |カ  |cook family 職人              |魚 肉 パン 餅                 |                        |
洗う      |ワ  |human                         |皿 茶碗 野菜 果物 車 馬 窓    |                        |long
作る      |ラ  |human                         |dish 人形 家具 道具 地図 曲 看板|                        |new
料理      |する|cook family                   |fresh                         |                        |
書く      |カ  |human                         |writing                       |                        |new
描く      |カ  |artist child                  |painting                      |                        |new
撮る      |ラ  |artist media human            |写真 映画 番組                |                        |new
読む      |マ  |human                         |writing book 書類 資料 名簿 地図 契約書|                        |long
歌う      |ワ  |歌手 child family             |music                         |                        |long
見る      |一  |human                         |show painting 写真 試合 地図  |                        |long nopass
聞く      |カ  |human                         |music opinion 事情 講演       |                        |long nopass
調べる    |一  |police scholar media doctor 技師 authority 大使 長官|paper matter machine cargo 船 車|                        |long
探す      |サ  |human                         |thing document book 犬 猫 犯人|                        |long
見つける  |一  |human                         |thing document book animal 犯人|                        |got
拾う      |ワ  |human                         |財布 鍵 傘 帽子 指輪 小鳥 猫  |                        |got
捨てる    |一  |human                         |thing fragile 家具 書類 手紙 日記|                        |gone
忘れる    |一  |human                         |傘 かばん 鍵 眼鏡 帽子 弁当 書類 財布|電車 バス タクシー 駅 図書館|auto nopass
なくす    |サ  |human                         |傘 鍵 財布 指輪 書類 切符 眼鏡|                        |gone auto nopass
盗む      |マ  |suspect 男                    |財布 指輪 絵 金 車 自転車     |                        |got from
隠す      |サ  |human                         |金 手紙 指輪 日記 書類        |棚 机 部屋 物置 庭 森   |
置く      |カ  |human                         |thing cargo document book fragile medicine|棚 机 部屋 台所 物置 倉庫 事務所|
並べる    |一  |business worker cook 司書 商人|皿 茶碗 椅子 商品 book fresh dish|store 市場 会場         |
移す      |サ  |human company                 |cargo machine fragile 本 資料 |spot                    |
運ぶ      |バ  |human 馬                      |cargo machine thing fresh fragile|facility store lodging  |
積む      |マ  |worker driver 商人            |cargo fresh                   |vehicle                 |
包む      |マ  |human                         |菓子 弁当 皿 花 人形          |                        |
開ける    |一  |human                         |箱 袋 窓 倉庫 かばん 手紙     |                        |
使う      |ワ  |human company                 |machine 道具 vehicle 金 地図  |                        |
直す      |サ  |worker driver family          |machine vehicle 傘 椅子 眼鏡 網 家具 橋|                        |
修理      |する|worker company driver         |machine vehicle 橋 堤防       |                        |
点検      |する|worker driver 駅員 警備員     |machine vehicle 橋 トンネル 倉庫|                        |
止める    |一  |human                         |machine 車 バス 自転車 船 馬  |                        |
運転      |する|driver human                  |車 バス 電車 トラック         |                        |long
降りる    |一  |human                         |電車 バス 車 船 馬            |                        |move nopass
渡す      |サ  |human                         |portable food 金 代金 medicine writing|human                   |given
送る      |ラ  |agent                         |writing document cargo book money food|human company           |given
届ける    |一  |human                         |荷物 商品 財布 弁当 手紙 document medicine|human 事務所 警察 病院  |given
配る      |ラ  |leader scholar 店員 駅員 cook |document dish 新聞 毛布 水 medicine|human                   |given
見せる    |一  |human                         |document writing painting thing 成績|human                   |
貸す      |サ  |human 銀行 図書館             |金 book 傘 道具 毛布 車 自転車|human                   |given
借りる    |一  |human company                 |金 book 車 自転車 傘 道具 毛布|                        |got nopass from
返す      |サ  |human                         |money book 傘 道具 財布       |human 図書館 銀行       |given
預ける    |一  |human                         |荷物 鍵 金 かばん animal      |human 銀行 旅館         |given
売り込む  |マ  |business 商人 company         |商品 machine 企画 案          |company society human   |
受け取る  |ラ  |agent                         |手紙 報告書 原稿 document money cargo|                        |got from
払う      |ワ  |human company                 |money                         |human authority company |given
集める    |一  |human society                 |document money opinion 花     |                        |got
教える    |一  |human                         |matter music 事情             |human                   |
伝える    |一  |agent                         |fact                          |agent                   |
話す      |サ  |human                         |fact                          |human                   |long
尋ねる    |一  |human                         |matter opinion                |human                   |
説明      |する|politics scholar business company society media|measure matter result         |agent                   |long
報告      |する|business worker police scholar authority|fact event disaster           |leader                  |
相談      |する|human                         |matter 計画 企画 案           |human                   |
提出      |する|scholar business learner society company politics media|報告書 論文 原稿 計画 案 資料 法案 予算|authority 大学 company 教授 部長 大臣|given
提案      |する|politics scholar business society company media|plan 方針 制度 政策           |leader 住民 会議        |
示す      |サ  |official scholar authority leader|measure opinion 地図 資料     |agent                   |
発表      |する|politics scholar media artist company society|measure result writing opinion|                        |
公開      |する|org 美術館 artist             |painting show document        |                        |
出版      |する|出版社 media                  |小説 詩 絵本 辞書 雑誌        |                        |
批判      |する|住民 society politics scholar media learner|measure official              |                        |
支持      |する|住民 society 議員 与党 野党 学生|measure official opinion      |                        |
検討      |する|leader scholar                |measure opinion               |                        |
決める    |一  |leader                        |measure                       |                        |
認める    |一  |leader 容疑者 検事            |measure opinion result        |                        |
見直す    |サ  |leader                        |measure 原稿                  |                        |
撤回      |する|leader                        |measure opinion               |                        |
開く      |カ  |leader scholar artist         |meeting festival              |                        |new
準備      |する|leader scholar learner artist |event                         |                        |
中止      |する|leader                        |event                         |                        |
見物      |する|human                         |festival 塔 寺 橋             |                        |nopass
取材      |する|media 新聞社                  |event disaster human          |                        |
訪れる    |一  |human                         |place 美術館 寺               |                        |move nopass
訪問      |する|official scholar business     |city company society facility |                        |move nopass
出る      |一  |human vehicle                 |facility 部屋 家 lodging      |                        |move nopass
離れる    |一  |human vehicle                 |place                         |                        |move nopass
歩く      |カ  |human animal                  |公園 海岸 森 町 橋            |                        |long nopass
渡る      |ラ  |human vehicle animal          |橋                            |                        |move nopass
呼ぶ      |バ  |human                         |human                         |                        |
誘う      |ワ  |human                         |human                         |festival 集会 授業      |
招く      |カ  |leader scholar family artist  |human                         |event 家                |
助ける    |一  |human 犬                      |human animal                  |                        |react
手伝う    |ワ  |human                         |human                         |                        |nopass react
褒める    |一  |human                         |human painting dish 成績 writing|                        |react
叱る      |ラ  |grown                         |child 社員 店員 犬 秘書       |                        |react
励ます    |サ  |human                         |human                         |                        |react
慰める    |一  |human                         |human                         |                        |react
待つ      |タ  |human                         |human バス 電車 船 結果 判決  |                        |long nopass
追う      |ワ  |police human 犬               |suspect creature 船 車        |                        |long
見送る    |ラ  |human                         |human vehicle                 |                        |
迎える    |一  |human 旅館                    |human                         |                        |
案内      |する|human                         |human                         |facility nature lodging |nopass
乗せる    |一  |driver family worker          |human animal cargo            |車 バス 船 トラック タクシー|nopass
雇う      |ワ  |社長 店長 company 農民        |worker driver cook learner 若者|                        |react
逮捕      |する|警官 刑事 警察                |suspect 男                    |                        |react
訴える    |一  |住民 business company police patient|suspect 男 doctor company 市長 社長|                        |react
診察      |する|doctor                        |patient family child 老人 animal|                        |
治療      |する|doctor                        |patient 老人 animal           |                        |react
飼う      |ワ  |human                         |animal                        |                        |state nopass
育てる    |一  |農民 庭師 family              |plant animal                  |                        |
植える    |一  |農民 庭師 family 住民         |plant                         |land 公園               |
刈る      |ラ  |農民                          |crop                          |                        |gone
襲う      |ワ  |wild wind                     |human animal 村 町            |                        |
撃つ      |タ  |警官 農民                     |wild                          |                        |
建てる    |一  |大工 company authority 大学   |ビル 住宅 塔 校舎             |land home city          |new
建設      |する|company authority             |building                      |place land              |new
壊す      |サ  |human wind disaster           |machine fragile building 家具 人形|                        |gone
倒す      |サ  |wind 作業員                   |松 塔 看板 稲                 |                        |
任せる    |一  |leader                        |event plan 会議               |business scholar worker company|
破る      |ラ  |human company                 |規則 手紙 書類                |                        |
守る      |ラ  |agent                         |規則 秘密 村 条約 森          |                        |nopass react
許す      |サ  |human                         |human                         |                        |react
"""

# Adjectives. Columns: base form | ga (what has the property)
_ADJECTIVES = """
古い       |thing machine vehicle building book painting facility
新しい     |thing machine vehicle building book plan 学校 病院
大きい     |thing machine vehicle building cargo fragile creature 魚
小さい     |thing machine vehicle fragile animal fresh home
重い       |cargo machine 箱 かばん 辞書
高い       |塔 ビル 家賃 税金 山
安い       |food 家賃 商品 book
珍しい     |creature flower painting 魚
美しい     |flower painting music nature 鏡
若い       |worker scholar artist doctor media 社員 議員
忙しい     |business doctor cook official 主婦
熱心だ     |scholar media artist worker learner 店員
真面目だ   |learner worker 社員 店員 運転手
有能だ     |business 弁護士 刑事 検事 技師
優しい     |family doctor 教師 店員
厳しい     |scholar business 監督 規則
難しい     |matter 論文 曲 交渉 授業
激しい     |weather wind 地震
冷たい     |drink 風 雨
甘い       |菓子 果物 みかん りんご
面白い     |book show 小説 講演 祭り
有名だ     |artist media scholar music painting 寺 料理人
静かだ     |公園 図書館 home 旅館 森
重要だ     |matter plan document meeting
必要だ     |money machine document plan
便利だ     |machine vehicle 辞書 地図
元気だ     |family child 老人 animal
親切だ     |public worker 店員 駅員
新鮮だ     |fresh 牛乳
立派だ     |building facility 成績
複雑だ     |machine matter 制度
"""

# Adverbs of manner and frequency.
_ADVERBS = "すぐ 再び 早速 急いで 何度も ようやく 直ちに 改めて 自ら"
_SENTENCE_ADVERBS = "やがて 結局 もちろん まず すでに ついに"
_CONJUNCTIONS = "しかし そこで また だが ところが さらに そして"

# Time nouns; those of the second table also take に.
_TIMES = "昨日 今朝 翌日 翌朝 昨夜 先週 先月 去年 今年 当時"
_TIMES_WITH_NI = "夕方 夜 朝 午後 午前 春 秋 冬"

_SURNAMES = """
田中 鈴木 佐藤 高橋 伊藤 渡辺 山本 中村 小林
加藤 吉田 山田 佐々木 井上 木村 清水 斎藤 森田
"""

# Counters: class or group -> counter (after a numeral of 3 to 12).
_COUNTERS = """
learner:人 worker:人 客:人 住民:人 乗客:人 観光客:人 社員:人 議員:人 患者:人 若者:人 車:台 バス:台 トラック:台 自転車:台 機械:台 時計:個 document:枚 book:冊 cargo:個 fragile:枚 fresh:個 animal:頭
"""

# Verbs that take a clause. Columns: base form (verbal noun for する) | class | ga | ni | kind | whose
# kind: と = what is said (a plain clause + と), 命 = an order (「…しろ」と), よう = ように, こと = ことを,
#       思 = what is thought (と), 志 = what is intended (…しようと)
# whose: who is the unexpressed subject of the embedded clause (ga or ni of this verb), or other = somebody else
_CLAUSE_VERBS = """
約束       |する|human           |human           |と  |ga
誓う       |ワ|official artist learner suspect|human|と  |ga
言う       |ワ|human            |human           |と  |other
話す       |サ|human            |human           |と  |ga
説明       |する|agent          |agent           |と  |ga
報告       |する|business worker police scholar|leader|と  |other
伝える     |一|human            |human           |と  |other
主張       |する|agent          |                |と  |ga
言う       |ワ|human            |human           |命  |ni
命じる     |一|grown            |human           |命  |ni
叫ぶ       |バ|human            |human           |命  |ni
頼む       |マ|human            |human           |よう|ni
命じる     |一|leader           |human company   |よう|ni
勧める     |一|human            |human           |よう|ni
求める     |一|agent            |agent           |よう|ni
指示       |する|leader doctor  |human           |よう|ni
要求       |する|住民 society 客 |authority company leader       |よう|ni
決める     |一|agent            |                |こと|ga
諦める     |一|human            |                |こと|ga
断る       |ラ|agent            |                |こと|ga
許す       |サ|leader family    |human           |こと|ni
禁じる     |一|authority family scholar doctor|human |こと|ni
知る       |ラ|human            |                |こと|other
後悔       |する|human          |                |こと|ga
忘れる     |一|human            |                |こと|ga
思う       |ワ|human            |                |思  |other
考える     |一|human            |                |志  |ga
思う       |ワ|human            |                |志  |ga
聞く       |カ|human            |                |思  |other
"""

# Generic statements of editorials.
_EVALUATIONS = "必要だ 大切だ 重要だ 難しい"


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun with its semantic class.

    Attributes:
        surface: the noun.
        semantic_class: as in the table of nouns.
        is_verbal: whether it names an event and can have cases (会議).
        anaphor: how a known entity of it is called again (同社), else empty.
    """

    surface: str
    semantic_class: str
    is_verbal: bool = False
    anaphor: str = ""


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
        return self.word.verbal_noun or self.word.lemma

    @property
    def is_adjective(self) -> bool:
        """Whether the predicate is an adjective."""
        return self.word.is_adjective

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
        return self.predicate.name == "後悔"


def _read_nouns() -> dict[str, Noun]:
    nouns: dict[str, Noun] = {}
    for line in _NOUNS.strip().splitlines():
        name, words = line.split(":")
        for word in words.split():
            nouns[word] = Noun(word, name, word in _VERBAL_NOUNS, _ANAPHORS.get(word, ""))
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


def _verb_word(lemma: str, conjugation: str) -> Word:
    return Word("する", SURU, lemma) if conjugation == SURU else Word(lemma, conjugation)


def adjective(lemma: str, ga: frozenset[str] | None = None) -> Predicate:
    """Return an adjective that can be said of the nouns ``ga``; None: of nothing."""
    word = Word(lemma, NA_ADJECTIVE if lemma.endswith("だ") else I_ADJECTIVE)
    return Predicate(word, {} if ga is None else {GA: ga})


def _read_verb(row: list[str]) -> Predicate:
    lemma, conjugation, ga, o, ni, notes = row
    frame = {
        case: members(names.rstrip("?"))
        for case, names in zip(CASES, (ga, o, ni), strict=True)
        if names.rstrip("?")
    }
    optional = frozenset({NI}) if ni.endswith("?") else frozenset()
    return Predicate(_verb_word(lemma, conjugation), frame, optional, frozenset(notes.split()))


def _read_clause_verb(row: list[str]) -> ClauseVerb:
    lemma, conjugation, ga, ni, kind, whose = row
    frame = {case: members(names) for case, names in ((GA, ga), (NI, ni)) if names}
    return ClauseVerb(Predicate(_verb_word(lemma, conjugation), frame), kind, whose)


VERBS = tuple(_read_verb(row) for row in _rows(_VERBS))
ADJECTIVES = tuple(adjective(lemma, members(ga)) for lemma, ga in _rows(_ADJECTIVES))
CLAUSE_VERBS = tuple(_read_clause_verb(row) for row in _rows(_CLAUSE_VERBS))
EVALUATIONS = tuple(adjective(lemma) for lemma in _EVALUATIONS.split())
ADVERBS = tuple(_ADVERBS.split())
SENTENCE_ADVERBS = tuple(_SENTENCE_ADVERBS.split())
CONJUNCTIONS = tuple(_CONJUNCTIONS.split())
TIMES = tuple(_TIMES.split())
TIMES_WITH_NI = tuple(_TIMES_WITH_NI.split())
SURNAMES = tuple(_SURNAMES.split())
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
COUNTERS: dict[str, str] = {
    noun: counter
    for name, counter in (entry.split(":") for entry in _COUNTERS.split())
    for noun in members(name)
}
